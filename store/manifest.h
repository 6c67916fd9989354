/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a directory holds, as sha256sum prints it: a line a regular file, "DIGEST  PATH", sorted by
 * path. `sha256sum -c SHA256SUMS` checks it, and so does st_manifest_check().
 */
#ifndef STORE_MANIFEST_H
#define STORE_MANIFEST_H

#include "base/str.h"

#define ST_MANIFEST_NAME "SHA256SUMS"

/* Every regular file below `dir` but the manifest itself. Anything else in it (a link, a socket): EXIT_CODE_HOST. */
int st_manifest_make(const char *dir, struct str *ret, struct err *err) MUST_CHECK;
/*
 * Compare the directory with its own manifest: files changed, missing or not listed, a line each in
 * `ret`, whose length is 0 where all is as it was. Without a manifest: -ENOENT.
 */
int st_manifest_check(const char *dir, struct str *ret, struct err *err) MUST_CHECK;

#endif
