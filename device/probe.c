/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/adapter.h"
#include "device/nvme_id.h"
#include "device/smartctl.h"
#include "device/sysfs.h"

static void add_word(char list[DEV_WORD], const char *word)
{
	size_t len = strlen(list);

	snprintf(list + len, DEV_WORD - len, "%s%s", len ? ", " : "", word);
}

/* "nvme12", not "nvme12n1" or "nvme-subsys0". */
static bool is_controller_name(const char *name)
{
	return !strncmp(name, "nvme", 4) && name[4] &&
	       !name[4 + strspn(name + 4, "0123456789")];
}

void probe_controllers(const struct dev_roots *roots, const char *name,
		       char ret[DEV_WORD])
{
	char link[PATH_MAX], dir[PATH_MAX];
	char **names = NULL;
	size_t n = 0;
	struct sysfs_node node;

	ret[0] = '\0';
	if (sysfs_node_by_name(roots, name, &node) ||
	    !sysfs_path(link, "%s/device", node.disk) || !realpath(link, dir))
		return;
	const char *base = strrchr(dir, '/') + 1;

	if (is_controller_name(base))
		add_word(ret, base);
	else if (!strncmp(base, "nvme-subsys", 11) && !sysfs_names(dir, &names, &n))
		for (size_t i = 0; i < n; i++)
			if (is_controller_name(names[i]))
				add_word(ret, names[i]);
	sysfs_names_free(names, n);
}

/* Is it a word of a list made by add_word()? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

void probe_namespaces(const struct dev_roots *roots, const char *controller,
		      char ret[DEV_WORD])
{
	char dir[PATH_MAX], reached_by[DEV_WORD];
	char **names = NULL;
	size_t n = 0;

	ret[0] = '\0';
	if (!sysfs_path(dir, "%s/block", roots->sys) || sysfs_names(dir, &names, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct sysfs_node node;
		uint64_t hidden = 0;

		probe_controllers(roots, names[i], reached_by);
		if (has_word(reached_by, controller) &&
		    !sysfs_node_by_name(roots, names[i], &node) &&
		    (sysfs_u64(node.disk, "hidden", &hidden) || !hidden))
			add_word(ret, names[i]);
	}
	sysfs_names_free(names, n);
}

static void ask_nvme(int fd, struct dev_info *info)
{
	struct nvme_link link;
	struct err err;

	if (nvme_link_open(&link, fd, &err) || nvme_id_read(&link, &info->nvme, &err))
		snprintf(info->unread, sizeof(info->unread), "%.250s", err.text);
}

static void use_smartctl(const struct smartctl_id *id, struct dev_info *info)
{
	/* The kernel cuts the model of an ATA drive at 16 characters and its firmware at 4. */
	if (id->model[0])
		snprintf(info->model, sizeof(info->model), "%s", id->model);
	if (id->firmware[0])
		snprintf(info->firmware, sizeof(info->firmware), "%s", id->firmware);
	snprintf(info->form_factor, sizeof(info->form_factor), "%s", id->form_factor);
	info->link = id->link;
}

static void ask_smartctl(const char *path, struct dev_info *info)
{
	static const char *const args[] = { "--info", NULL };
	struct smartctl_id id;
	struct err err;
	json_t *o;

	if (smartctl_run(args, path, &o, &err)) {
		snprintf(info->unread, sizeof(info->unread), "%.250s", err.text);
		return;
	}
	smartctl_identify(o, &id);
	use_smartctl(&id, info);
	json_decref(o);
}

static int not_the_same(const struct dev_info *info, const char *what, struct err *err)
{
	return err_set(err, EXIT_CODE_SAFETY, ESTALE, "%s is refused: %s", info->path,
		       what);
}

/* A drive that has gone is a device error; any other silence is no answer to go by. */
static int undecided(int failed, struct err *err)
{
	if (err && failed != -ENODEV)
		err->code = EXIT_CODE_SAFETY;
	return failed;
}

int probe_confirm_nvme(struct nvme_link *link, const struct dev_info *info,
		       struct err *err)
{
	struct dev_nvme now = { .nsid = 0 };

	if (link->nsid != info->nvme.nsid)
		return not_the_same(info, "its namespace id is another than before", err);
	if (!info->nvme.known)
		return 0;
	int failed = nvme_id_read(link, &now, err);

	if (failed)
		return undecided(failed, err);
	if (strcmp(now.serial, info->nvme.serial) != 0 ||
	    strcmp(now.nguid, info->nvme.nguid) != 0 ||
	    strcmp(now.eui64, info->nvme.eui64) != 0)
		return not_the_same(info,
				    "the drive behind it gives another serial number or "
				    "identifier than before",
				    err);
	if (now.reservation == DEV_RESV_HELD)
		return not_the_same(info, "a host holds a reservation on its namespace",
				    err);
	return 0;
}

int probe_confirm(int fd, const struct dev_info *info, struct err *err)
{
	struct nvme_link link;

	if (!info->nvme.nsid)
		return 0;
	int failed = nvme_link_open(&link, fd, err);

	return failed ? undecided(failed, err) : probe_confirm_nvme(&link, info, err);
}

void probe_drive(const struct dev_roots *roots, struct dev_info *info)
{
	struct sysfs_node node;
	char path[PATH_MAX];
	bool is_nvme = info->nvme.nsid;
	bool by_smartctl = !strcmp(info->transport, "SATA") ||
			   !strcmp(info->transport, "SAS") ||
			   !strcmp(info->transport, "USB");

	if (info->kind != DEV_BLOCK || (!is_nvme && !by_smartctl) ||
	    sysfs_node_by_dev(roots, info->rdev, &node) ||
	    !sysfs_path(path, "%s/%s", roots->dev, strrchr(node.disk, '/') + 1))
		return;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		snprintf(info->unread, sizeof(info->unread), "cannot open it: %s",
			 strerror(errno));
		return;
	}
	if (is_nvme) {
		dev_pci_link(roots, strrchr(node.disk, '/') + 1, &info->link);
		ask_nvme(fd, info);
	} else {
		ask_smartctl(path, info);
	}
	close(fd);
}
