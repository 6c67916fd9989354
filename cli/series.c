/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/series.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* Round numbers stay far from where unsigned arithmetic wraps. */
#define ROUND_MAX 1000000000

struct reader {
	struct series *series;
	const char *name;
	size_t line;
	unsigned columns; /* 0 before the first line of data */
	struct err *err;
};

static int refuse(const struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int refuse(const struct reader *r, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return err_set(r->err, EXIT_CODE_USAGE, EINVAL, "%s line %zu: %s", r->name,
		       r->line, why);
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Cut a trimmed line into fields; returns how many there are, 3 for more than two. */
static unsigned split(char *line, char *field[2])
{
	unsigned n = 0;

	while (*line) {
		if (n == 2)
			return 3;
		field[n++] = line;
		line += strcspn(line, ", \t\r");
		char *stop = line;

		while (blank(*line))
			line++;
		if (*line == ',')
			line++;
		while (blank(*line))
			line++;
		*stop = '\0';
	}
	return n;
}

static bool is_word(const char *field)
{
	return isalpha((unsigned char)*field) || *field == '"' || *field == '_';
}

/* The whole field as a double; strtod alone would take hexadecimal, too. */
static bool parse_value(const char *text, double *ret)
{
	char *end;

	errno = 0;
	*ret = strtod(text, &end);
	return end != text && !*end && !strpbrk(text, "xX(");
}

static int add_value(const struct reader *r, const char *text)
{
	struct series *s = r->series;
	double value;

	if (strchr(text, ';'))
		return refuse(r,
			      "'%.40s': separate round and value by a blank or a comma",
			      text);
	if (!parse_value(text, &value))
		return refuse(r, "'%.40s' is no number", text);
	if (errno == ERANGE)
		return refuse(r, "'%.40s' is beyond the range of a double", text);
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		double *more = realloc(s->value, cap * sizeof(*more));

		if (!more)
			return err_set(r->err, EXIT_CODE_HOST, ENOMEM,
				       "out of memory reading %s", r->name);
		s->value = more;
		s->cap = cap;
	}
	s->value[s->n++] = value;
	return 0;
}

static int check_round(const struct reader *r, const char *text)
{
	struct series *s = r->series;
	uint64_t round;

	if (units_parse_uint("round", text, 0, ROUND_MAX, &round, NULL))
		return refuse(r, "'%.40s' is no round number", text);
	if (!s->n)
		s->first = (unsigned)round;
	if (round != s->first + s->n)
		return refuse(r,
			      "round %.40s follows round %zu; rounds must be consecutive",
			      text, s->first + s->n - 1);
	return 0;
}

/* A comma between digits in a line that is separated otherwise. */
static bool decimal_comma(const char *line)
{
	bool separated = line[strcspn(line, "; \t")] != '\0';

	for (const char *c = line; separated && (c = strchr(c, ',')); c++)
		if (c > line && isdigit((unsigned char)c[-1]) &&
		    isdigit((unsigned char)c[1]))
			return true;
	return false;
}

/* Without comment, newline and the blanks at both ends. */
static char *trim(char *line)
{
	size_t len = strcspn(line, "#\n");

	while (len && blank(line[len - 1]))
		len--;
	line[len] = '\0';
	while (blank(*line))
		line++;
	return line;
}

static int take_line(struct reader *r, char *line)
{
	char *field[2];

	line = trim(line);
	if (decimal_comma(line))
		return refuse(r, "a decimal comma; write a decimal point, as in 238.21");
	if (!*line)
		return 0;
	if (line[strlen(line) - 1] == ',')
		return refuse(r, "it ends in a comma");
	unsigned n = split(line, field);

	if (n > 2)
		return refuse(r, "more than a round and a value");
	if (!r->columns) {
		double number;
		bool words = true;

		for (unsigned i = 0; i < n; i++)
			words = words && is_word(field[i]) &&
				!parse_value(field[i], &number);
		r->columns = n;
		if (words)
			return 0;
	}
	if (n != r->columns)
		return refuse(r, "%u field%s, but %u in the lines before", n,
			      n == 1 ? "" : "s", r->columns);
	int rc = n == 2 ? check_round(r, field[0]) : 0;

	return rc ? rc : add_value(r, field[n - 1]);
}

int series_read(FILE *f, const char *name, struct series *ret, struct err *err)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	struct reader r = { .series = ret, .name = name, .err = err };
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int rc = 0;

	*ret = (struct series){ .first = 1 };
	while (!rc && (len = getline(&line, &cap, f)) > 0) {
		char *at = line;

		r.line++;
		if (r.line == 1 && !strncmp(line, byte_order_mark, 3))
			at += 3;
		rc = strlen(line) != (size_t)len ? refuse(&r, "it holds a NUL byte")
						 : take_line(&r, at);
	}
	if (!rc && ferror(f))
		rc = err_set(err, EXIT_CODE_USAGE, errno, "cannot read %s: %s", name,
			     strerror(errno));
	else if (!rc && !ret->n)
		rc = err_set(err, EXIT_CODE_USAGE, EINVAL, "%s holds no values", name);
	free(line);
	if (rc)
		series_release(ret);
	return rc;
}

void series_release(struct series *s)
{
	free(s->value);
	*s = (struct series){ 0 };
}
