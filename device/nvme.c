/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/nvme.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int admin_ioctl(struct nvme_link *link, struct nvme_passthru_cmd *cmd)
{
	int status = nvme_submit_admin_passthru(link->fd, cmd, NULL);

	return status < 0 ? -errno : status;
}

static int io_ioctl(struct nvme_link *link, struct nvme_passthru_cmd *cmd)
{
	int status = nvme_submit_io_passthru(link->fd, cmd, NULL);

	return status < 0 ? -errno : status;
}

int nvme_link_open(struct nvme_link *ret, int fd, struct err *err)
{
	struct nvme_link link = { .fd = fd, .admin = admin_ioctl, .io = io_ioctl };

	if (nvme_get_nsid(fd, &link.nsid))
		return err_set(err, EXIT_CODE_DEVICE, errno,
			       "cannot ask the kernel for the namespace id: %s",
			       strerror(errno));
	*ret = link;
	return 0;
}

static bool is_unknown(int status)
{
	int code = status & 0x7ff; /* type and code, without "more" and "do not retry" */

	return code == NVME_SC_INVALID_OPCODE || code == NVME_SC_INVALID_FIELD ||
	       code == (NVME_SCT_CMD_SPECIFIC << NVME_SCT_SHIFT |
			NVME_SC_INVALID_LOG_PAGE);
}

int nvme_link_admin(struct nvme_link *link, struct nvme_passthru_cmd *cmd,
		    const char *what, struct err *err)
{
	int status;

	do
		status = link->admin(link, cmd);
	while (status == -EINTR);
	link->status = status > 0 ? status : 0;
	if (status < 0)
		return err_set(err, EXIT_CODE_DEVICE, -status, "cannot %s: %s", what,
			       strerror(-status));
	if (status)
		return err_set(err, EXIT_CODE_DEVICE, is_unknown(status) ? ENOTSUP : EIO,
			       "cannot %s: the drive answers \"%s\" (NVMe status 0x%x)",
			       what, nvme_status_to_string(status, false),
			       (unsigned)status);
	return 0;
}

void *nvme_buffer(size_t size_b)
{
	size_t page_b = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole_b = (size_b + page_b - 1) / page_b * page_b;
	void *buffer = aligned_alloc(page_b, whole_b);

	if (buffer)
		memset(buffer, 0, whole_b);
	return buffer;
}

/* A command that fills a buffer, which the caller frees. */
static int fetch(struct nvme_link *link, struct nvme_passthru_cmd *cmd, size_t size_b,
		 const char *what, void **ret, struct err *err)
{
	void *buffer = nvme_buffer(size_b);

	if (!buffer)
		return err_set(err, EXIT_CODE_HOST, ENOMEM, "cannot %s: out of memory",
			       what);
	cmd->addr = (uintptr_t)buffer;
	cmd->data_len = (uint32_t)size_b;
	int failed = nvme_link_admin(link, cmd, what, err);

	if (failed)
		free(buffer);
	else
		*ret = buffer;
	return failed;
}

static int identify(struct nvme_link *link, uint32_t nsid, enum nvme_identify_cns cns,
		    const char *what, void **ret, struct err *err)
{
	struct nvme_passthru_cmd cmd = {
		.opcode = nvme_admin_identify,
		.nsid = nsid,
		.cdw10 = cns,
	};

	return fetch(link, &cmd, NVME_IDENTIFY_DATA_SIZE, what, ret, err);
}

int nvme_link_id_ctrl(struct nvme_link *link, struct nvme_id_ctrl **ret, struct err *err)
{
	void *data;
	int failed = identify(link, 0, NVME_IDENTIFY_CNS_CTRL, "identify the controller",
			      &data, err);

	if (!failed)
		*ret = data;
	return failed;
}

int nvme_link_id_ns(struct nvme_link *link, uint32_t nsid, struct nvme_id_ns **ret,
		    struct err *err)
{
	void *data;
	int failed = identify(link, nsid, NVME_IDENTIFY_CNS_NS, "identify the namespace",
			      &data, err);

	if (!failed)
		*ret = data;
	return failed;
}

int nvme_link_id_allocated(struct nvme_link *link, uint32_t nsid, struct nvme_id_ns **ret,
			   struct err *err)
{
	void *data;

	if (identify(link, nsid, NVME_IDENTIFY_CNS_ALLOCATED_NS, "identify a namespace",
		     &data, NULL))
		return nvme_link_id_ns(link, nsid, ret, err);
	*ret = data;
	return 0;
}

int nvme_link_ns_list(struct nvme_link *link, bool allocated, uint32_t **ret,
		      size_t *ret_n, struct err *err)
{
	void *data;
	int failed = identify(link, 0,
			      allocated ? NVME_IDENTIFY_CNS_ALLOCATED_NS_LIST
					: NVME_IDENTIFY_CNS_NS_ACTIVE_LIST,
			      "list the namespaces", &data, err);

	if (failed)
		return failed;
	uint32_t *nsid = data;
	size_t n = 0;

	for (; n < NVME_ID_NS_LIST_MAX && nsid[n]; n++)
		nsid[n] = le32toh(nsid[n]);
	*ret = nsid;
	*ret_n = n;
	return 0;
}

int nvme_link_ns_descs(struct nvme_link *link, uint32_t nsid, unsigned char **ret,
		       struct err *err)
{
	void *data;
	int failed = identify(link, nsid, NVME_IDENTIFY_CNS_NS_DESC_LIST,
			      "read the namespace's identifiers", &data, err);

	if (!failed)
		*ret = data;
	return failed;
}

int nvme_link_log(struct nvme_link *link, uint32_t nsid, uint8_t lid, size_t size_b,
		  void **ret, struct err *err)
{
	uint32_t dwords = (uint32_t)size_b / 4 - 1; /* counted from 0 */
	struct nvme_passthru_cmd cmd = {
		.opcode = nvme_admin_get_log_page,
		.nsid = nsid,
		.cdw10 = dwords << 16 | lid,
	};

	return fetch(link, &cmd, size_b, "read a log page", ret, err);
}

void nvme_link_reserved(struct nvme_link *link, enum dev_reservation *ret)
{
	enum { REPORT_B = 4096 };
	struct nvme_resv_status *report = nvme_buffer(REPORT_B);
	struct nvme_passthru_cmd cmd = {
		.opcode = nvme_cmd_resv_report,
		.nsid = link->nsid,
		.addr = (uintptr_t)report,
		.data_len = REPORT_B,
		.cdw10 = REPORT_B / 4 - 1,
	};

	*ret = DEV_RESV_UNKNOWN;
	if (report && link->io && !link->io(link, &cmd))
		*ret = report->rtype ? DEV_RESV_HELD : DEV_RESV_NONE;
	free(report);
}

int nvme_link_get_feature(struct nvme_link *link, uint32_t nsid, uint8_t fid,
			  enum nvme_get_features_sel sel, uint32_t *ret, struct err *err)
{
	struct nvme_passthru_cmd cmd = {
		.opcode = nvme_admin_get_features,
		.nsid = nsid,
		.cdw10 = (uint32_t)sel << 8 | fid,
	};
	int failed = nvme_link_admin(link, &cmd, "read a feature", err);

	if (!failed)
		*ret = cmd.result;
	return failed;
}

int nvme_link_set_feature(struct nvme_link *link, uint32_t nsid, uint8_t fid, bool save,
			  uint32_t value, struct err *err)
{
	struct nvme_passthru_cmd cmd = {
		.opcode = nvme_admin_set_features,
		.nsid = nsid,
		.cdw10 = (uint32_t)save << 31 | fid,
		.cdw11 = value,
	};

	return nvme_link_admin(link, &cmd, "set a feature", err);
}
