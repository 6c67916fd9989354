/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "cli/opts.h"

#define MACHINE_FILE "/etc/plateau.conf"
#define USER_FILE    "plateau/config" /* in $XDG_CONFIG_HOME, or ~/.config */

struct settings {
	struct cli_args *args;
	struct cli_seen stronger; /* given on the command line or in a stronger file */
};

static int on_line(void *arg, const char *section, const char *key, const char *value,
		   struct err *err)
{
	struct settings *s = arg;
	char name[64];

	if (*section && strcmp(section, "lab") != 0)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "unknown section [%s]; options stand above [lab]",
			       section);
	if (!key)
		return 0;
	snprintf(name, sizeof(name), "%s%s", *section ? "lab-" : "", key);
	return cli_setting(s->args, name, value, &s->stronger, err);
}

static int read_file(struct cli_args *a, const char *path, struct err *err)
{
	struct settings s = { .args = a, .stronger = a->seen };

	return ini_read(path, on_line, &s, err);
}

static int read_where_it_is(struct cli_args *a, const char *path, struct err *err)
{
	int rc = read_file(a, path, err);

	return rc == -ENOENT ? 0 : rc;
}

static int read_users(struct cli_args *a, struct err *err)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *below = "";
	struct str path = { 0 };
	int rc = 0;

	if (!base || *base != '/') {
		base = getenv("HOME");
		below = ".config/";
	}
	if (base && *base == '/')
		str_addf(&path, "%s/%s" USER_FILE, base, below);
	if (path.failed)
		rc = err_set(err, EXIT_CODE_INTERNAL, ENOMEM, "out of memory");
	else if (path.len)
		rc = read_where_it_is(a, path.text, err);
	str_release(&path);
	return rc;
}

int cli_settings_read(struct cli_args *a, struct err *err)
{
	int rc;

	if (a->config) {
		rc = read_file(a, a->config, err);
		if (rc && err->code == EXIT_CODE_HOST)
			err->code = EXIT_CODE_USAGE;
		return rc;
	}
	rc = read_users(a, err);
	return rc ? rc : read_where_it_is(a, MACHINE_FILE, err);
}
