/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_B ((size_t)256 << 10)

struct rpt_chunk {
	struct rpt_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) unsigned char data[];
};

void *rpt_alloc(struct rpt_arena *a, size_t n)
{
	size_t align = _Alignof(max_align_t);
	struct rpt_chunk *c = a->chunk;
	void *p;

	n = (n + align - 1) / align * align;
	if (!c || c->size - c->used < n) {
		size_t size = n > CHUNK_B ? n : CHUNK_B;

		c = calloc(1, sizeof(*c) + size);
		if (!c)
			longjmp(a->oom, 1);
		c->size = size;
		c->next = a->chunk;
		a->chunk = c;
	}
	p = c->data + c->used;
	c->used += n;
	return p;
}

static const char *PRINTF_LIKE(2, 0)
	vformat(struct rpt_arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	text = rpt_alloc(a, n < 0 ? 1 : (size_t)n + 1);
	if (n >= 0)
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}

const char *rpt_fmt(struct rpt_arena *a, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = vformat(a, fmt, ap);
	va_end(ap);
	return text;
}

void *rpt_grow(struct rpt_arena *a, void *array, size_t n, size_t elem_b)
{
	void *bigger;

	if (n && (n < 8 || (n & (n - 1))))
		return array; /* room is made for 8, then doubled at each power of two */
	bigger = rpt_alloc(a, (n ? n * 2 : 8) * elem_b);
	if (n)
		memcpy(bigger, array, n * elem_b);
	return bigger;
}

void rpt_arena_release(struct rpt_arena *a)
{
	while (a->chunk) {
		struct rpt_chunk *next = a->chunk->next;

		free(a->chunk);
		a->chunk = next;
	}
}

#define ADD(a, array, n)                                                                 \
	((array) = rpt_grow((a), (array), (n), sizeof(*(array))), &(array)[(n)++])

struct rpt_page *rpt_page_add(struct rpt_model *m, struct rpt_head *head, const char *id,
			      const char *title)
{
	struct rpt_page *p = rpt_alloc(&m->arena, sizeof(*p));

	*p = (struct rpt_page){
		.id = id, .title = title, .head = head, .verdict.text = ""
	};
	*ADD(&m->arena, m->page, m->n_page) = p;
	return p;
}

void rpt_link_add(struct rpt_model *m, const char *file, const char *what)
{
	*ADD(&m->arena, m->link, m->n_link) =
		(struct rpt_link){ .file = file, .what = what };
}

static struct rpt_block *block_add(struct rpt_model *m, struct rpt_page *p,
				   enum rpt_kind kind)
{
	struct rpt_block *b = ADD(&m->arena, p->block, p->n_block);

	b->kind = kind;
	return b;
}

struct rpt_facts *rpt_facts_add(struct rpt_model *m, struct rpt_page *p,
				const char *title)
{
	struct rpt_facts *f = rpt_alloc(&m->arena, sizeof(*f));

	f->title = title;
	block_add(m, p, RPT_FACTS)->u.facts = f;
	return f;
}

void rpt_fact_add(struct rpt_model *m, struct rpt_facts *f, const char *key,
		  const char *fmt, ...)
{
	struct rpt_fact *fact = ADD(&m->arena, f->fact, f->n);
	va_list ap;

	fact->key = key;
	va_start(ap, fmt);
	fact->value = vformat(&m->arena, fmt, ap);
	va_end(ap);
}

struct rpt_table *rpt_table_add(struct rpt_model *m, struct rpt_page *p,
				const char *caption)
{
	struct rpt_table *t = rpt_alloc(&m->arena, sizeof(*t));

	t->caption = caption;
	block_add(m, p, RPT_TABLE)->u.table = t;
	return t;
}

void rpt_col_add(struct rpt_model *m, struct rpt_table *t, const char *title, bool number,
		 double weight)
{
	*ADD(&m->arena, t->col, t->n_col) =
		(struct rpt_col){ .title = title, .number = number, .weight = weight };
}

void rpt_cell_add(struct rpt_model *m, struct rpt_table *t, enum rpt_tone tone,
		  const char *fmt, ...)
{
	struct rpt_cell *c = ADD(&m->arena, t->cell, t->n_cell);
	va_list ap;

	c->tone = tone;
	va_start(ap, fmt);
	c->text = vformat(&m->arena, fmt, ap);
	va_end(ap);
}

void rpt_text_add(struct rpt_model *m, struct rpt_page *p, enum rpt_tone tone,
		  const char *fmt, ...)
{
	struct rpt_block *b = block_add(m, p, RPT_TEXT);
	va_list ap;

	b->u.text.tone = tone;
	va_start(ap, fmt);
	b->u.text.text = vformat(&m->arena, fmt, ap);
	va_end(ap);
}

void rpt_heading_add(struct rpt_model *m, struct rpt_page *p, const char *text)
{
	struct rpt_block *b = block_add(m, p, RPT_TEXT);

	b->u.text.text = text;
	b->u.text.heading = true;
}

struct rpt_chart *rpt_chart_add(struct rpt_model *m, struct rpt_page *p, const char *name,
				const char *title, unsigned h_px)
{
	struct rpt_chart *c = rpt_alloc(&m->arena, sizeof(*c));

	*c = (struct rpt_chart){ .name = name,
				 .title = title,
				 .subtitle = "",
				 .alt = title,
				 .w_px = RPT_CHART_W,
				 .h_px = h_px };
	block_add(m, p, RPT_CHART)->u.chart = c;
	*ADD(&m->arena, m->chart, m->n_chart) = c;
	return c;
}

struct rpt_series *rpt_series_add(struct rpt_model *m, struct rpt_chart *c,
				  const char *title, enum rpt_style style,
				  unsigned colour)
{
	struct rpt_series *s = rpt_alloc(&m->arena, sizeof(*s));

	*s = (struct rpt_series){ .title = title, .style = style, .colour = colour };
	*ADD(&m->arena, c->series, c->n_series) = s;
	return s;
}

void rpt_point_add(struct rpt_model *m, struct rpt_chart *c, struct rpt_series *s,
		   double x, double y)
{
	const struct rpt_axis *ya = s->right ? &c->y2 : &c->y;

	if (!isfinite(x) || !isfinite(y))
		return;
	if ((c->x.log && x <= 0) || (ya->log && y <= 0)) {
		c->dropped++;
		return;
	}
	*ADD(&m->arena, s->point, s->n) = (struct rpt_point){ .x = x, .y = y };
}

void rpt_tick_add(struct rpt_model *m, struct rpt_axis *axis, double at,
		  const char *label)
{
	*ADD(&m->arena, axis->tick, axis->n_tick) =
		(struct rpt_tick){ .at = at, .label = label };
}

void rpt_vmark_add(struct rpt_model *m, struct rpt_chart *c, double x, const char *label)
{
	*ADD(&m->arena, c->mark, c->n_mark) =
		(struct rpt_vmark){ .x = x, .label = label };
}

bool rpt_chart_empty(const struct rpt_chart *c)
{
	if (c->bars)
		return c->bars->n_row == 0 || c->bars->n_col == 0;
	for (size_t i = 0; i < c->n_series; i++)
		if (c->series[i]->n)
			return false;
	return true;
}
