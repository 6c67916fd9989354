/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static const struct {
	enum exit_code code;
	const char *word;
} words[] = {
	/* gravest first: the order in which codes win over one another */
	{ EXIT_CODE_INTERNAL, "internal error" },
	{ EXIT_CODE_DEVICE, "device error" },
	{ EXIT_CODE_HOST, "host problem" },
	{ EXIT_CODE_PURGE, "purge or preconditioning failed" },
	{ EXIT_CODE_SAFETY, "refused for safety" },
	{ EXIT_CODE_USAGE, "usage error" },
	{ EXIT_CODE_INTERRUPTED, "interrupted" },
	{ EXIT_CODE_INVALID, "finished but invalid" },
	{ EXIT_CODE_DIFFERS, "differs" },
	{ EXIT_CODE_NOT_STEADY, "steady state not attained" },
	{ EXIT_CODE_LIMITS, "limits failed" },
	{ EXIT_CODE_COMPLETE, "complete" },
};

enum exit_code exit_code_graver(enum exit_code a, enum exit_code b)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].code == a || words[i].code == b)
			return words[i].code;
	return EXIT_CODE_INTERNAL;
}

const char *exit_code_word(enum exit_code code)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].code == code)
			return words[i].word;
	return "unknown";
}

int err_set(struct err *err, enum exit_code code, int errnum, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		err->code = code;
		err->errnum = errnum;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return errnum > 0 ? -errnum : -EIO;
}
