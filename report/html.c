/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "report/plot.h"

static const char style[] =
	":root{color-scheme:light dark;--ink:#1b2733;--muted:#55616d;--rule:#d3dae0;--ground:#fff;"
	"--tint:#eef2f6;--band:#24405c;--card:#fff;--good:#00664a;--goodg:#dff2ea;--warn:#7a5200;"
	"--warng:#fdf0d2;--bad:#a83800;--badg:#fde3d8}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e3e8ed;--muted:#9dabb8;--rule:#3a4652;"
	"--ground:#14191f;--tint:#222b34;--band:#2f4d6b;--card:#1a2027;--good:#7fd6b6;--goodg:#12352a;"
	"--warn:#f0c878;--warng:#3a2d0e;--bad:#ffab86;--badg:#43200f}"
	"figure svg{filter:invert(1) hue-rotate(180deg) brightness(1.6)}}\n"
	"*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);"
	"font:15px/1.5 'DejaVu Sans',system-ui,sans-serif}\n"
	"header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}\n"
	"header{padding-top:2rem}h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem;"
	"overflow-wrap:anywhere}h2{font-size:1.15rem;margin:3rem 0 .75rem;padding:.5rem .75rem;"
	"color:#fff;background:var(--band)}h3{font-size:1.05rem;margin:2rem 0 .5rem;padding-bottom:.25rem;"
	"border-bottom:1px solid var(--rule)}h4{font-size:.95rem;margin:1rem 0 .25rem}\n"
	"p{margin:.5rem 0}.dim{color:var(--muted)}.good{color:var(--good);font-weight:700}"
	".warn{color:var(--warn);font-weight:700}.bad{color:var(--bad);font-weight:700}\n"
	".status,.verdict{display:inline-block;padding:.25rem .6rem;border-radius:.25rem;font-size:.85rem;"
	"background:var(--tint)}.status{display:block;margin:.75rem 0}"
	".verdict{margin:0 0 .5rem}.good.status,.good.verdict{background:var(--goodg)}"
	".warn.status,.warn.verdict{background:var(--warng)}.bad.status,.bad.verdict{background:var(--badg)}\n"
	".scroll{overflow-x:auto;margin:.75rem 0}table{border-collapse:collapse;width:100%;"
	"font-size:.85rem;font-variant-numeric:tabular-nums}table.narrow{width:auto;min-width:55%}caption{text-align:left;font-weight:700;"
	"padding:.25rem 0}th,td{padding:.3rem .5rem;border-bottom:1px solid var(--rule);text-align:left;"
	"vertical-align:top;overflow-wrap:break-word}thead th{background:var(--tint)}"
	".n{text-align:right}th.c{text-align:center}\n"
	".groups{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1rem;"
	"font-size:.8rem}.groups h3{margin:0;padding:.2rem .4rem;background:var(--tint);font-size:.8rem;border:0}\n"
	"dl{margin:.25rem 0;display:grid;grid-template-columns:minmax(6rem,40%) 1fr;gap:.1rem .5rem}"
	"dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}.wide dl{grid-template-columns:30% 1fr}"
	".people{grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));font-size:.85rem}"
	".people dd{font-weight:700}\n"
	"figure{margin:1rem 0;padding:.5rem;background:var(--card);border:1px solid var(--rule);"
	"border-radius:.25rem}figure svg{display:block;width:100%;height:auto;color:#1b2733}"
	"figcaption{font-size:.8rem;color:var(--muted);text-align:center}\n"
	"tbody th{font-weight:400}tbody th.good,tbody th.bad,tbody th.warn{font-weight:700}"
	"th button{all:unset;cursor:pointer;box-sizing:border-box;width:100%}"
	"th button:focus-visible{outline:2px solid currentColor}"
	"th[aria-sort=ascending] button::after{content:' \\2191'}"
	"th[aria-sort=descending] button::after{content:' \\2193'}\n"
	"nav ul{columns:18rem;font-size:.85rem;padding-left:1.1rem}a{color:inherit}#data{font-size:.85rem}\n"
	"details{margin:.5rem 0}summary{cursor:pointer;color:var(--muted);font-size:.85rem}\n"
	"footer{margin-top:3rem;padding-bottom:2rem;color:var(--muted);font-size:.8rem}\n"
	"@media print{h2{break-before:page}figure,table{break-inside:avoid}}\n";

/* The tables are whole without it; no character here needs escaping, so that the file stays XML too. */
static const char script[] =
	"document.querySelectorAll('table.sort').forEach(function(table){\n"
	"var body=table.tBodies[0],heads=table.tHead.rows[table.tHead.rows.length-1].cells;\n"
	"Array.from(heads).forEach(function(head,at){\n"
	"var button=document.createElement('button');button.textContent=head.textContent;\n"
	"button.title='Sort by this column';head.replaceChildren(button);\n"
	"button.onclick=function(){\n"
	"var down=head.getAttribute('aria-sort')==='ascending';\n"
	"var key=function(row){var word=row.cells[at].textContent;var n=parseFloat(word);\n"
	"return head.classList.contains('n')?(isNaN(n)?-Infinity:n):word;};\n"
	"var compare=new Intl.Collator('en',{numeric:true}).compare;\n"
	"var order=function(a,b){var x=key(a),y=key(b);\n"
	"return x===y?0:typeof x==='number'?(x-y||0):compare(x,y);};\n"
	"var rows=Array.from(body.rows).sort(order);if(down)rows.reverse();\n"
	"Array.from(heads).forEach(function(h){h.removeAttribute('aria-sort');});\n"
	"head.setAttribute('aria-sort',down?'descending':'ascending');\n"
	"body.append.apply(body,rows);};});});\n";

static void text(struct str *s, const char *t)
{
	for (; *t; t++) {
		switch (*t) {
		case '<':
			str_add(s, "&lt;");
			break;
		case '>':
			str_add(s, "&gt;");
			break;
		case '&':
			str_add(s, "&amp;");
			break;
		case '"':
			str_add(s, "&quot;");
			break;
		default:
			str_add_bytes(s, t, 1);
		}
	}
}

static const char *tone_class(enum rpt_tone tone)
{
	static const char *const names[] = { [RPT_PLAIN] = "",
					     [RPT_GOOD] = "good",
					     [RPT_WARN] = "warn",
					     [RPT_BAD] = "bad",
					     [RPT_DIM] = "dim" };

	return names[tone];
}

/* <tag class="...">text</tag> */
static void element(struct str *s, const char *tag, const char *class, const char *t)
{
	str_addf(s, "<%s", tag);
	if (*class)
		str_addf(s, " class=\"%s\"", class);
	str_add(s, ">");
	text(s, t);
	str_addf(s, "</%s>", tag);
}

static void facts(struct str *s, const struct rpt_facts *f)
{
	str_add(s, "<dl>");
	for (size_t i = 0; i < f->n; i++) {
		element(s, "dt", "", f->fact[i].key);
		element(s, "dd", "", f->fact[i].value);
	}
	str_add(s, "</dl>\n");
}

static void table_head(struct str *s, const struct rpt_table *t)
{
	str_add(s, "<thead>");
	if (t->span_title) {
		str_add(s, "<tr>");
		for (size_t i = 0; i < t->span_from; i++)
			str_add(s, "<td></td>");
		str_addf(s, "<th class=\"c\" scope=\"colgroup\" colspan=\"%zu\">",
			 t->n_col - t->span_from);
		text(s, t->span_title);
		str_add(s, "</th></tr>");
	}
	str_add(s, "<tr>");
	for (size_t i = 0; i < t->n_col; i++) {
		str_addf(s, "<th scope=\"col\"%s>",
			 t->col[i].number ? " class=\"n\"" : "");
		text(s, t->col[i].title);
		str_add(s, "</th>");
	}
	str_add(s, "</tr></thead>\n");
}

/* The first of a row names it. */
static void table_cell(struct str *s, const struct rpt_table *t, size_t i)
{
	const struct rpt_col *col = &t->col[i % t->n_col];
	const char *tone = tone_class(t->cell[i].tone);
	bool first = i % t->n_col == 0;

	if (first)
		str_add(s, i ? "</tr>\n<tr>" : "<tr>");
	str_add(s, first ? "<th scope=\"row\"" : "<td");
	if (col->number || *tone)
		str_addf(s, " class=\"%s%s%s\"", col->number ? "n" : "",
			 col->number && *tone ? " " : "", tone);
	str_add(s, ">");
	text(s, t->cell[i].text);
	str_add(s, first ? "</th>" : "</td>");
}

static void table(struct str *s, const struct rpt_table *t)
{
	bool sortable = t->n_col > 2 && t->n_cell > 3 * t->n_col;

	str_addf(s, "<div class=\"scroll\"><table%s%s%s>",
		 t->narrow || sortable ? " class=\"" : "",
		 t->narrow && sortable ? "narrow sort"
		 : t->narrow           ? "narrow"
		 : sortable            ? "sort"
				       : "",
		 t->narrow || sortable ? "\"" : "");
	if (*t->caption)
		element(s, "caption", "", t->caption);
	table_head(s, t);
	str_add(s, "<tbody>");
	for (size_t i = 0; i < t->n_cell; i++)
		table_cell(s, t, i);
	str_addf(s, "%s</tbody></table></div>\n", t->n_cell ? "</tr>" : "");
}

/*
 * gnuplot gives the same ids in every picture ("gpPt4"); in one page each needs its own. They
 * stand in single quotes, and references to them after '#.
 */
static void add_svg(struct str *s, const char *svg, const char *name)
{
	const char *at = strstr(svg, "<svg"), *id;

	if (!at)
		return;
	while ((id = strstr(at, "gp"))) {
		bool quoted = id > at && (id[-1] == '\'' || id[-1] == '#');

		str_add_bytes(s, at, (size_t)(id - at));
		if (quoted && !(strncmp(id, "gpPt", 4) && strncmp(id, "gpDot", 5)))
			str_addf(s, "%s-", name);
		str_add(s, "gp");
		at = id + 2;
	}
	str_add(s, at);
}

static int chart(struct str *s, const struct rpt_chart *c, const char *charts_dir,
		 struct err *err)
{
	struct str svg = { 0 };
	int r;

	if (rpt_chart_empty(c)) {
		element(s, "h4", "", c->title);
		element(s, "p", "dim", "no data");
		return 0;
	}
	r = rpt_plot_read(c, charts_dir, &svg, err);
	if (r < 0)
		return r;
	str_add(s, "<figure role=\"img\" aria-label=\"");
	text(s, c->alt);
	str_add(s, "; ");
	text(s, c->subtitle);
	str_add(s, "\">");
	add_svg(s, str_text(&svg), c->name);
	if (c->dropped)
		str_addf(
			s,
			"<figcaption>%zu zero value%s left out: a logarithmic axis cannot show "
			"them</figcaption>",
			c->dropped, c->dropped == 1 ? "" : "s");
	str_add(s, "</figure>\n");
	str_release(&svg);
	return 0;
}

static int block(struct str *s, const struct rpt_block *b, const char *charts_dir,
		 struct err *err)
{
	switch (b->kind) {
	case RPT_FACTS:
		if (*b->u.facts->title)
			element(s, "h4", "", b->u.facts->title);
		str_add(s, "<div class=\"wide\">");
		facts(s, b->u.facts);
		str_add(s, "</div>");
		break;
	case RPT_TABLE:
		table(s, b->u.table);
		break;
	case RPT_CHART:
		return chart(s, b->u.chart, charts_dir, err);
	case RPT_TEXT:
		element(s, b->u.text.heading ? "h4" : "p", tone_class(b->u.text.tone),
			b->u.text.text);
		str_add(s, "\n");
		break;
	}
	return 0;
}

static void head_groups(struct str *s, const struct rpt_head *head, size_t from)
{
	str_add(s, "<div class=\"groups\">");
	for (size_t g = from; g < RPT_GROUPS; g++) {
		str_add(s, "<div>");
		element(s, "h3", "", head->group[g].title);
		facts(s, &head->group[g]);
		str_add(s, "</div>");
	}
	str_add(s, "</div>\n");
}

static int page(struct str *s, const struct rpt_page *p, const char *charts_dir,
		struct err *err)
{
	int r = 0;

	str_addf(s, "<section id=\"%s\">\n<h3>", p->id);
	if (p->plot) {
		text(s, p->plot);
		str_add(s, " - ");
	}
	text(s, p->title);
	str_add(s, "</h3>\n");
	if (*p->verdict.text) {
		struct str class = { 0 };

		str_addf(&class, "verdict %s", tone_class(p->verdict.tone));
		element(s, "p", str_text(&class), p->verdict.text);
		str_release(&class);
	}
	for (size_t i = 0; r == 0 && i < p->n_block; i++)
		r = block(s, &p->block[i], charts_dir, err);
	str_add(s, "</section>\n");
	return r;
}

static void contents(struct str *s, const struct rpt_model *m)
{
	str_add(s,
		"<nav aria-label=\"Contents\"><details><summary>Contents</summary><ul>\n");
	for (size_t i = 0; i < m->n_page; i++) {
		str_addf(s, "<li><a href=\"#%s\">", m->page[i]->id);
		text(s, m->page[i]->title);
		str_add(s, "</a></li>\n");
	}
	str_add(s, "</ul></details></nav>\n");
}

static void front(struct str *s, const struct rpt_model *m)
{
	struct str class = { 0 };

	str_add(s,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
	element(s, "title", "", m->title);
	str_addf(s, "\n<style>\n%s</style>\n</head>\n<body>\n<header>\n", style);
	element(s, "h1", "", m->title);
	str_add(s, "<p class=\"dim\">");
	text(s, "Format after SNIA SSS PTS, ");
	text(s, m->edition);
	str_add(s, " · test run ");
	text(s, m->run_date);
	str_add(s, " · report ");
	text(s, m->report_date);
	str_add(s, "</p>\n");
	if (*m->status.text) {
		str_addf(&class, "status %s", tone_class(m->status.tone));
		element(s, "p", str_text(&class), m->status.text);
	}
	str_release(&class);
	contents(s, m);
	str_add(s, "</header>\n<main>\n");
}

static void people(struct str *s, const struct rpt_facts *f)
{
	str_add(s, "<dl class=\"people\">");
	for (size_t i = 0; i < f->n; i++) {
		str_add(s, "<div>");
		element(s, "dt", "", f->fact[i].key);
		element(s, "dd", "", f->fact[i].value);
		str_add(s, "</div>");
	}
	str_add(s, "</dl>\n");
}

/* Files beside the report. */
static void links(struct str *s, const struct rpt_model *m)
{
	if (!m->n_link)
		return;
	str_add(s, "<section id=\"data\">\n<h2>Data</h2>\n<ul>\n");
	for (size_t i = 0; i < m->n_link; i++) {
		str_add(s, "<li><a href=\"");
		text(s, m->link[i].file);
		str_add(s, "\">");
		text(s, m->link[i].file);
		str_add(s, "</a> - ");
		text(s, m->link[i].what);
		str_add(s, "</li>\n");
	}
	str_add(s, "</ul>\n</section>\n");
}

int rpt_html_write(const struct rpt_model *m, const char *charts_dir, const char *path,
		   struct err *err)
{
	const struct rpt_head *head = NULL;
	struct str s = { 0 };
	int r = 0;

	front(&s, m);
	people(&s, &m->people);
	for (size_t i = 0; r == 0 && i < m->n_page; i++) {
		const struct rpt_page *p = m->page[i];

		/* Platform and drive once, at the top; set-up and test at the head of each test. */
		if (p->head != head) {
			element(&s, "h2", "", p->head->subtitle);
			if (!head || p->head != m->page[0]->head)
				head_groups(&s, p->head, head ? 2 : 0);
			head = p->head;
		}
		r = page(&s, p, charts_dir, err);
	}
	links(&s, m);
	str_addf(&s,
		 "</main>\n<footer>plateau %s · format after SNIA SSS PTS</footer>\n"
		 "<script>\n%s</script>\n</body>\n</html>\n",
		 PLATEAU_VERSION, script);
	if (r == 0 && s.failed)
		r = err_set(err, EXIT_CODE_HOST, ENOMEM, "out of memory writing %s",
			    path);
	if (r == 0)
		r = str_write_file(&s, path, err);
	str_release(&s);
	return r;
}
