/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How every test program ends. */
#ifndef TESTS_LIB_SUITE_H
#define TESTS_LIB_SUITE_H

#include <check.h>

/* Run it, and let go of it; the program's exit status. CK_VERBOSITY has the say. */
static inline int suite_run(Suite *s)
{
	SRunner *sr = srunner_create(s);

	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);

	srunner_free(sr);
	return failed != 0;
}

#endif
