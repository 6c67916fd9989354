/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVMe admin commands to an open namespace. Everything goes through nvme_link_admin(), and from
 * there through the link's `admin`: the kernel's ioctl, or in tests a controller in memory
 * (tests/lib/nvme_script.h). Layouts and constants are libnvme's.
 */
#ifndef DEVICE_NVME_H
#define DEVICE_NVME_H

#include <libnvme.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "device/dev.h"

struct nvme_link {
	int fd;
	uint32_t nsid; /* as the kernel says, never cut out of a name */
	/* 0 with cmd->result, a positive NVMe status, or -errno. */
	int (*admin)(struct nvme_link *link, struct nvme_passthru_cmd *cmd);
	int (*io)(struct nvme_link *link, struct nvme_passthru_cmd *cmd);
	int status; /* NVMe status of the last command, 0 = success; for those that tell apart */
};

/* On a descriptor of a namespace's block device; it stays the caller's. -ENOTTY: no NVMe. */
int nvme_link_open(struct nvme_link *ret, int fd, struct err *err) MUST_CHECK;

/*
 * Send one command. `what` says in an error what was wanted ("identify the controller"). The
 * drive's refusal: -ENOTSUP where it does not know the command or field, else -EIO, with its
 * status in words and in link->status. EXIT_CODE_DEVICE.
 */
int nvme_link_admin(struct nvme_link *link, struct nvme_passthru_cmd *cmd,
		    const char *what, struct err *err) MUST_CHECK;

/* Zeroed, aligned to a page and whole pages long, as some drivers need it; free(). */
void *nvme_buffer(size_t size_b);

/* Of the next six the caller frees *ret. */
int nvme_link_id_ctrl(struct nvme_link *link, struct nvme_id_ctrl **ret,
		      struct err *err) MUST_CHECK;
int nvme_link_id_ns(struct nvme_link *link, uint32_t nsid, struct nvme_id_ns **ret,
		    struct err *err) MUST_CHECK;
/* The same of one that need not be attached to this controller, where the drive knows that. */
int nvme_link_id_allocated(struct nvme_link *link, uint32_t nsid, struct nvme_id_ns **ret,
			   struct err *err) MUST_CHECK;
/* Namespaces of the subsystem (allocated), or those attached to this controller (active). */
int nvme_link_ns_list(struct nvme_link *link, bool allocated, uint32_t **ret,
		      size_t *ret_n, struct err *err) MUST_CHECK;
/* NVME_IDENTIFY_DATA_SIZE bytes of struct nvme_ns_id_desc, which are foreign data. */
int nvme_link_ns_descs(struct nvme_link *link, uint32_t nsid, unsigned char **ret,
		       struct err *err) MUST_CHECK;
/* size_b: a multiple of 4, at most 4096. nsid: NVME_NSID_ALL for the controller's. */
int nvme_link_log(struct nvme_link *link, uint32_t nsid, uint8_t lid, size_t size_b,
		  void **ret, struct err *err) MUST_CHECK;

/* Does anybody hold a reservation on the namespace? UNKNOWN where the drive does not tell. */
void nvme_link_reserved(struct nvme_link *link, enum dev_reservation *ret);

int nvme_link_get_feature(struct nvme_link *link, uint32_t nsid, uint8_t fid,
			  enum nvme_get_features_sel sel, uint32_t *ret,
			  struct err *err) MUST_CHECK;
/* Until the next reset or power-off, unless saved. */
int nvme_link_set_feature(struct nvme_link *link, uint32_t nsid, uint8_t fid, bool save,
			  uint32_t value, struct err *err) MUST_CHECK;

#endif
