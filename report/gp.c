/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/gp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FONT_PX  13
#define LABEL_PX 7.4  /* mean width of a letter at FONT_PX */
#define SMALL    0.86 /* of a letter in the small font */
#define LINE_PX  15   /* a second line of the subtitle */

/* The frame of the plot inside the chart, in pixels from the chart's edges. */
#define LEFT_PX       104
#define RIGHT_PX      26
#define RIGHT2_PX     108 /* with a right axis */
#define TOP_PX        68
#define BOTTOM_PX     66
#define KEY_PX        20  /* a row of the key, ... */
#define KEY_SAMPLE_PX 64  /* ... beside a title, ... */
#define KEY_LETTER_PX 9.1 /* ... whose letters gnuplot takes to be so wide */
#define MARK_PX       16  /* a row of marker labels above the frame, ... */
#define MARK_BASE_PX  15  /* ... the lowest of which clears the axis labels */

/* Colours that the colour-blind can tell apart (Okabe and Ito 2008), dark enough on white. */
#define COLOURS 8
static const char *const palette[COLOURS] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7",
	"#e69f00", "#56b4e9", "#1b2733", "#7f7f7f"
};
#define FEW_POINTS 60 /* these can be larger */
/* Filled and open shapes in turn, so that neighbours differ without colour too. */
static const int shapes[COLOURS] = { 7, 5, 9, 13, 4, 6, 11, 8 };

/* In single quotes gnuplot takes every character as it is; the quote itself is doubled. */
static void add_quoted(struct str *s, const char *text)
{
	str_add(s, "'");
	for (; *text; text++)
		str_add_bytes(s, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
	str_add(s, "'");
}

/* The label of a tick is a format as well: a percent sign must be doubled. */
static void add_tick(struct str *s, const char *text)
{
	str_add(s, "'");
	for (; *text; text++)
		str_add(s, *text == '\''  ? "''"
			   : *text == '%' ? "%%"
					  : (char[]){ *text, '\0' });
	str_add(s, "'");
}

static size_t utf8_len(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Length in bytes of the part of `s` that makes a line of at most `max` letters. */
static size_t line_fit(const char *s, size_t max)
{
	size_t letters = 0, end = 0, space = 0;

	for (; s[end]; end++) {
		if (((unsigned char)s[end] & 0xc0) != 0x80 && letters++ == max)
			return space ? space : end;
		if (s[end] == ' ')
			space = end;
	}
	return end;
}

static size_t subtitle_letters(const struct rpt_chart *c)
{
	return (size_t)((c->w_px - 20) / (LABEL_PX * SMALL));
}

static void add_subtitle(struct str *gp, const struct rpt_chart *c)
{
	size_t max = subtitle_letters(c);
	const char *rest = c->subtitle;

	for (unsigned line = 0; *rest && line < 2; line++) {
		size_t n = line_fit(rest, max);
		char *part = strndup(rest, n);

		str_addf(gp, "set label %u ", 2 + line);
		add_quoted(gp, part ? part : "");
		str_addf(gp,
			 " at screen 0.012, screen %.4f font ',11' tc rgb '#4a5560'\n",
			 1 - (38.0 + LINE_PX * line) / c->h_px);
		free(part);
		rest += n;
		rest += strspn(rest, " ");
	}
}

static void add_head(struct str *gp, const struct rpt_chart *c)
{
	str_addf(gp,
		 "# To draw it again: gnuplot %s.gp, in this directory.\n"
		 "reset session\n"
		 "set encoding utf8\n"
		 "set terminal svg noenhanced size %u,%u dynamic font 'DejaVu Sans,%d'\n"
		 "set output '%s.svg'\n",
		 c->name, c->w_px, c->h_px, FONT_PX, c->name);
	str_add(gp, "set label 1 ");
	add_quoted(gp, c->title);
	str_addf(gp, " at screen 0.012, screen %.4f font ',15' tc rgb '#1b2733'\n",
		 1 - 19.0 / c->h_px);
	add_subtitle(gp, c);
}

/* --- axes --- */

struct range {
	double lo, hi;
};

static struct range range_of(const struct rpt_chart *c, bool of_x, bool right)
{
	struct range r = { HUGE_VAL, -HUGE_VAL };

	for (size_t i = 0; i < c->n_series; i++) {
		const struct rpt_series *s = c->series[i];

		for (size_t k = 0; k < s->n && (of_x || s->right == right); k++) {
			double v = of_x ? s->point[k].x : s->point[k].y;

			r.lo = fmin(r.lo, v);
			r.hi = fmax(r.hi, v);
		}
	}
	for (size_t i = 0; of_x && i < c->n_mark; i++) {
		r.lo = fmin(r.lo, c->mark[i].x);
		r.hi = fmax(r.hi, c->mark[i].x);
	}
	return r;
}

/* The span that is drawn: as asked, or the data's with some air. */
static struct range axis_range(const struct rpt_axis *a, struct range data, bool is_x)
{
	double air;

	if (a->lo != a->hi)
		return (struct range){ a->lo, a->hi };
	if (!(data.lo <= data.hi))
		return a->log ? (struct range){ 0.1, 1 } : (struct range){ 0, 1 };
	if (a->log) {
		double lo = pow(10, floor(log10(data.lo) + 1e-9));
		double hi = pow(10, ceil(log10(data.hi) - 1e-9));

		if (is_x) /* fine bins: no need of whole decades */
			return (struct range){ data.lo / 1.15, data.hi * 1.3 };
		return (struct range){ lo, hi > lo ? hi : lo * 10 };
	}
	if (is_x && data.lo < data.hi)
		return data;
	air = data.lo < data.hi ? (data.hi - data.lo) * 0.08
				: fmax(fabs(data.hi) * 0.1, 1e-9);
	if (a->from_zero)
		return (struct range){ 0, data.hi > 0 ? data.hi * 1.08 : 1 };
	return (struct range){ data.lo - air, data.hi + air };
}

/* "10k" where there are so many; of milliseconds, "1k" would be read twice. */
static bool in_thousands(struct range r)
{
	return fmin(r.lo, r.hi) >= 0.5 && fmax(r.lo, r.hi) >= 1e4;
}

static const char *axis_format(const struct rpt_axis *a, struct range r)
{
	double top = fmax(fabs(r.lo), fabs(r.hi));

	if (a->log)
		return in_thousands(r) ? "%.0s%c" : "%g";
	return top >= 100000 ? "%.0f" : "%g";
}

static void add_log_tic(struct str *gp, struct range r, double at, const char **between)
{
	/* As gnuplot's "%.0s%c" has it. */
	bool kilo = in_thousands(r) && at >= 1e3, mega = kilo && at >= 1e6;

	if (at < r.lo * 0.999 || at > r.hi * 1.001)
		return;
	str_addf(gp, "%s'%.6g%s' %.6g", *between,
		 at / (mega   ? 1e6
		       : kilo ? 1e3
			      : 1),
		 mega   ? "M"
		 : kilo ? "k"
			: "",
		 at);
	*between = ", ";
}

/* 1, 2 or 5 times a power of ten: about six of them in the range. */
static double nice_step(struct range r)
{
	double raw = (r.hi - r.lo) / 6, decade = pow(10, floor(log10(raw)));
	double times = raw / decade;

	return decade * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* On a short log axis decades alone are too few: 1, 2 and 5 of each; on a very short one, even steps. */
#define FEW_DECADES 500
#define WITHIN_ONE  6
static void add_log_tics(struct str *gp, const char *axis, struct range r)
{
	static const double steps[] = { 1, 2, 5 };
	const char *between = "";

	str_addf(gp, "set %stics (", axis);
	if (r.hi / r.lo < WITHIN_ONE) {
		double step = nice_step(r);

		for (double n = ceil(r.lo / step); n * step <= r.hi; n++)
			add_log_tic(gp, r, n * step, &between);
	} else {
		for (double decade = pow(10, floor(log10(r.lo))); decade <= r.hi;
		     decade *= 10)
			for (size_t i = 0; i < ARRAY_LEN(steps); i++)
				add_log_tic(gp, r, decade * steps[i], &between);
	}
	str_add(gp, ")\n");
}

static void add_axis(struct str *gp, const char *axis, const struct rpt_axis *a,
		     struct range r)
{
	if (a->log)
		str_addf(gp, "set logscale %s 10\n", axis);
	str_addf(gp, "set %srange [%.10g:%.10g]\n", axis, r.lo, r.hi);
	str_addf(gp, "set format %s '%s'\n", axis, axis_format(a, r));
	str_addf(gp, "set %slabel ", axis);
	add_quoted(gp, a->label);
	str_addf(gp, "%s tc rgb '#1b2733'\n", *axis == 'x' ? " offset 0,0.4" : "");
	if (a->log && !a->n_tick && r.lo > 0 && r.lo < r.hi && r.hi / r.lo < FEW_DECADES)
		add_log_tics(gp, axis, r);
	if (a->n_tick) {
		str_addf(gp, "set %stics (", axis);
		for (size_t i = 0; i < a->n_tick; i++) {
			str_add(gp, i ? ", " : "");
			add_tick(gp, a->tick[i].label);
			str_addf(gp, " %.10g", a->tick[i].at);
		}
		str_add(gp, ")\n");
	}
}

/* --- markers: a line up to a row above the frame, and a label there --- */

static int mark_order(const void *a, const void *b)
{
	const struct rpt_vmark *ma = a, *mb = b;

	return (ma->x > mb->x) - (ma->x < mb->x);
}

/* Where x stands between the ends of the axis, 0..1. */
static double place(const struct rpt_axis *a, struct range r, double x)
{
	if (a->log)
		return log(x / r.lo) / log(r.hi / r.lo);
	return (x - r.lo) / (r.hi - r.lo);
}

/*
 * Labels stand right of the top of their lines. One that reaches over the lines further right
 * goes a row above their labels, so that no line crosses a label. Returns the rows used.
 */
static unsigned mark_rows(const struct rpt_chart *c, const struct rpt_vmark *mark,
			  struct range x, double frame_w_px, unsigned *row)
{
	unsigned rows = 0;

	for (size_t i = c->n_mark; i-- > 0;) {
		double end_px = place(&c->x, x, mark[i].x) * frame_w_px +
				LABEL_PX * SMALL * (double)utf8_len(mark[i].label) + 10;

		row[i] = 0;
		for (size_t k = i + 1; k < c->n_mark; k++)
			if (place(&c->x, x, mark[k].x) * frame_w_px < end_px &&
			    row[k] >= row[i])
				row[i] = row[k] + 1;
		rows = row[i] + 1 > rows ? row[i] + 1 : rows;
	}
	return rows;
}

static void add_marks(struct str *gp, const struct rpt_chart *c,
		      const struct rpt_vmark *mark, const unsigned *row,
		      double frame_h_px)
{
	for (size_t i = 0; i < c->n_mark; i++) {
		double top = 1 + (MARK_BASE_PX + MARK_PX * row[i]) / frame_h_px;

		str_addf(
			gp,
			"set arrow from first %.10g, graph 0 to first %.10g, graph %.4f nohead "
			"lc rgb '#4a5560' lw 1 dt (6,4) front\nset label ",
			mark[i].x, mark[i].x, top);
		add_quoted(gp, mark[i].label);
		str_addf(gp,
			 " at first %.10g, graph %.4f left offset 0.4,0 font ',11' "
			 "tc rgb '#1b2733'\n",
			 mark[i].x, top);
	}
}

/* --- series --- */

static void add_style(struct str *gp, const struct rpt_chart *c,
		      const struct rpt_series *s)
{
	/* A colour that comes again has another shape, and another dash. */
	static const char *const dashes[] = { "", " dt (8,4)", " dt (2,4)" };
	unsigned again = s->colour / COLOURS;
	const char *colour = palette[s->colour % COLOURS];
	const char *dash = dashes[again % ARRAY_LEN(dashes)];
	int shape = shapes[(s->colour + 3 * again) % COLOURS];

	switch (s->style) {
	case RPT_LINE:
		str_addf(gp, "with lines lc rgb '%s' lw 1.6%s", colour, dash);
		break;
	case RPT_POINTS_LINE:
		str_addf(gp, "with linespoints lc rgb '%s' lw 1.8%s pt %d ps 0.8", colour,
			 dash, shape);
		break;
	case RPT_POINTS:
		str_addf(gp, "with points lc rgb '%s' pt %d ps %g", colour, shape,
			 s->n > FEW_POINTS ? 0.5 : 0.9);
		break;
	case RPT_DASHED:
		str_addf(gp, "with lines lc rgb '%s' lw 1.8 dt (10,6)", colour);
		break;
	case RPT_DOTTED:
		str_addf(gp, "with lines lc rgb '%s' lw 2.2 dt (9,4,2,4)", colour);
		break;
	case RPT_BARS:
		str_addf(gp, "with %s fs solid 0.85 noborder lc rgb '%s'",
			 c->log_bin > 0 ? "boxxyerror" : "boxes", colour);
		break;
	}
}

static double right_px(const struct rpt_chart *c)
{
	return c->y2.label || c->n_mark ? RIGHT2_PX : RIGHT_PX;
}

/* gnuplot gives each entry of the key the width of the widest, and all of them that of the frame. */
static unsigned key_rows(const struct rpt_chart *c)
{
	double room_px = c->w_px - LEFT_PX - right_px(c);
	double widest_px = 0;
	unsigned per_row;

	for (size_t i = 0; i < c->n_series; i++)
		widest_px = fmax(widest_px,
				 KEY_SAMPLE_PX +
					 KEY_LETTER_PX *
						 (double)utf8_len(c->series[i]->title));
	per_row = widest_px > 0 ? (unsigned)fmax(1, room_px / widest_px) : 1;
	return c->n_series < 2 ? 0 : ((unsigned)c->n_series + per_row - 1) / per_row;
}

static void add_series(const struct rpt_chart *c, struct str *gp, struct str *dat)
{
	size_t index = 0;

	str_add(gp, "plot ");
	for (size_t i = 0; i < c->n_series; i++) {
		const struct rpt_series *s = c->series[i];

		if (!s->n)
			continue;
		str_addf(dat, "%s# %zu: %s\n", index ? "\n\n" : "", index, s->title);
		for (size_t k = 0; k < s->n; k++)
			str_addf(dat, "%.10g %.10g\n", s->point[k].x, s->point[k].y);
		str_addf(gp, "%s'%s.dat' index %zu using ", index ? ", \\\n     " : "",
			 c->name, index);
		if (s->style == RPT_BARS && c->log_bin > 0)
			str_addf(gp, "1:2:($1/%.6g):($1*%.6g):(%.6g):2", sqrt(c->log_bin),
				 sqrt(c->log_bin), c->y.lo);
		else
			str_add(gp, "1:2");
		str_addf(gp, " axes x1y%d ", s->right ? 2 : 1);
		add_style(gp, c, s);
		if (c->n_series < 2) {
			str_add(gp, " notitle");
		} else {
			str_add(gp, " title ");
			add_quoted(gp, s->title);
		}
		index++;
	}
	str_add(gp, "\n");
}

/* The frame's margins in pixels. */
struct margins {
	double left, right, top, bottom;
};

static void add_frame(struct str *gp, const struct rpt_chart *c, const struct margins *m,
		      unsigned keys)
{
	str_addf(gp,
		 "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
		 "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
		 m->left / c->w_px, 1 - m->right / c->w_px, 1 - m->top / c->h_px,
		 m->bottom / c->h_px);
	str_addf(gp,
		 "set border %d lc rgb '#7b8794' lw 1\n"
		 "set grid xtics ytics back lt 1 lc rgb '#dfe4e9' lw 0.7\n"
		 "set tics nomirror out scale 0.6 textcolor rgb '#1b2733'\n"
		 "set boxwidth %g %s\n",
		 c->y2.label ? 11 : 3, c->bar_w > 0 ? c->bar_w : 0.9,
		 c->bar_w > 0 ? "absolute" : "relative");
	if (keys)
		str_addf(
			gp,
			"set key at screen 0.5, screen %.4f center bottom horizontal Left reverse "
			"maxrows %u samplen 2.6 spacing 1.1 width 1 tc rgb '#1b2733'\n",
			4.0 / c->h_px, keys);
}

static int write_xy(const struct rpt_chart *c, struct str *gp, struct str *dat)
{
	struct range x = axis_range(&c->x, range_of(c, true, false), true);
	struct rpt_vmark *mark = calloc(c->n_mark + 1, sizeof(*mark));
	unsigned *row = calloc(c->n_mark + 1, sizeof(*row)), keys = key_rows(c);
	struct margins m = {
		.left = LEFT_PX,
		.right = right_px(c),
		.top = TOP_PX +
		       (line_fit(c->subtitle, subtitle_letters(c)) < strlen(c->subtitle)
				? LINE_PX
				: 0),
		.bottom = BOTTOM_PX + KEY_PX * keys,
	};

	if (!mark || !row) {
		free(mark);
		free(row);
		return -ENOMEM;
	}
	if (c->n_mark) {
		memcpy(mark, c->mark, c->n_mark * sizeof(*mark));
		qsort(mark, c->n_mark, sizeof(*mark), mark_order);
		m.top += MARK_BASE_PX +
			 MARK_PX * mark_rows(c, mark, x, c->w_px - m.left - m.right, row);
	}
	add_frame(gp, c, &m, keys);
	add_axis(gp, "x", &c->x, x);
	add_axis(gp, "y", &c->y, axis_range(&c->y, range_of(c, false, false), false));
	if (c->y2.label) {
		add_axis(gp, "y2", &c->y2,
			 axis_range(&c->y2, range_of(c, false, true), false));
		if (!c->y2.n_tick)
			str_add(gp, "set y2tics\n");
	}
	add_marks(gp, c, mark, row, c->h_px - m.top - m.bottom);
	add_series(c, gp, dat);
	free(mark);
	free(row);
	return 0;
}

/* --- bars on a plane --- */

static void add_names(struct str *gp, char axis, const char *const *name, size_t n,
		      bool reversed)
{
	str_addf(gp, "set %ctics (", axis);
	for (size_t i = 0; i < n; i++) {
		str_add(gp, i ? ", " : "");
		add_tick(gp, name[i]);
		str_addf(gp, " %zu", reversed ? n - 1 - i : i);
	}
	str_add(gp, ") offset 0,-0.3\n");
	str_addf(gp, "set %crange [-0.7:%.1f]\n", axis, (double)n - 0.3);
}

/* Sum of what is there of n values, one every `step`. */
static double sum_of(const double *value, size_t n, size_t step)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fmax(value[i * step], 0);
	return sum;
}

static void write_bars(const struct rpt_chart *c, struct str *gp, struct str *dat)
{
	const struct rpt_bars *b = c->bars;
	size_t last_row = b->n_row - 1, last_col = b->n_col - 1;
	/* The high end of either list goes to the back: to the first row, to the last column. */
	bool flip_rows = sum_of(b->value, b->n_col, 1) <
			 sum_of(b->value + last_row * b->n_col, b->n_col, 1);
	bool flip_cols = sum_of(b->value + last_col, b->n_row, b->n_col) <
			 sum_of(b->value, b->n_row, b->n_col);
	double top = 0;

	str_addf(dat, "# %s, %s, %s, colour\n", c->x.label, c->y.label, c->y2.label);
	for (size_t i = 0; i < b->n_row; i++) {
		for (size_t k = 0; k < b->n_col; k++) {
			double v = b->value[i * b->n_col + k];

			if (!(v >= 0))
				continue;
			top = fmax(top, v);
			str_addf(dat, "%zu %zu %.10g 0x%s\n",
				 flip_rows ? last_row - i : i,
				 flip_cols ? last_col - k : k, v,
				 palette[k % COLOURS] + 1);
		}
	}
	str_addf(gp, "set style fill solid 1.0 border lc rgb '#ffffff'\n"
		     "set boxwidth 0.62\nset boxdepth 0.62\n"
		     "set pm3d depthorder base\n"
		     "set view 58,38,1.0,1.0\nset xyplane at 0\n"
		     "set border 31 lc rgb '#9aa4ae'\n"
		     "set grid z vertical lt 1 lc rgb '#d5dae0' lw 0.6\n"
		     "set tics textcolor rgb '#1b2733'\n");
	add_names(gp, 'x', b->row, b->n_row, flip_rows);
	add_names(gp, 'y', b->col, b->n_col, flip_cols);
	str_addf(gp, "set zrange [0:%.10g]\nset format z '%s'\n",
		 top > 0 ? top * 1.02 : 1, top >= 10000 ? "%.0f" : "%g");
	str_add(gp, "set xlabel ");
	add_quoted(gp, c->x.label);
	str_add(gp, " offset 0,-1.2 tc rgb '#1b2733'\nset ylabel ");
	add_quoted(gp, c->y.label);
	str_add(gp, " offset 2,-1.2 tc rgb '#1b2733'\nset zlabel ");
	add_quoted(gp, c->y2.label);
	str_addf(gp,
		 " rotate by 90 offset -2.5,0 tc rgb '#1b2733'\n"
		 "splot '%s.dat' using 1:2:3:4 with boxes lc rgb variable notitle\n",
		 c->name);
}

int rpt_gp_write(const struct rpt_chart *c, struct str *gp, struct str *dat)
{
	int r = 0;

	add_head(gp, c);
	if (c->bars)
		write_bars(c, gp, dat);
	else
		r = write_xy(c, gp, dat);
	str_add(gp, "set output\n");
	return r < 0 || gp->failed || dat->failed ? -ENOMEM : 0;
}
