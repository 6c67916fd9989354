/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An NVMe controller in memory, for tests of what is sent to a drive and of what it answers:
 *
 *	static struct nvme_script s;
 *
 *	nvme_script_init(&s, 2);                two namespaces of 1 GiB, 512-byte blocks
 *	s.ctrl.fna = NVME_CTRL_FNA_SEC_ALL_NAMESPACES;
 *	s.log[NVME_LOG_LID_SMART][1] = 0x66, [2] = 1: 358 K
 *	s.fail_opcode = nvme_admin_format_nvm;  the next such command gets
 *	s.fail_with = NVME_SC_INTERNAL;         this status, or -errno
 *	code_under_test(&s.link);
 *	... s.sent[0 .. s.n_sent) is what it sent.
 *
 * It answers identify, get log page, get and set features. Everything else, and whatever a test
 * wants answered otherwise, is the test's: `extra` is asked before, and returns
 * NVME_SCRIPT_NOT_MINE to leave a command to the rest. What nobody answers is an invalid opcode.
 */
#ifndef TESTS_LIB_NVME_SCRIPT_H
#define TESTS_LIB_NVME_SCRIPT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "device/nvme.h"

#define NVME_SCRIPT_NOT_MINE INT32_MIN

enum { NVME_SCRIPT_NS = 8, NVME_SCRIPT_SENT = 256, NVME_SCRIPT_LOG_B = 512 };

struct nvme_script_ns {
	uint32_t nsid;
	bool active; /* attached to this controller; else only allocated */
	struct nvme_id_ns id;
	unsigned char descs[NVME_IDENTIFY_DATA_SIZE];
};

struct nvme_script {
	struct nvme_link link; /* first: the link is the script */
	struct nvme_id_ctrl ctrl;
	struct nvme_script_ns ns[NVME_SCRIPT_NS];
	size_t n_ns;
	bool no_allocated_list; /* as drives without namespace management */
	unsigned char log[256][NVME_SCRIPT_LOG_B];
	bool has_log[256]; /* SMART and error log from the start */
	uint32_t feature[256];
	bool has_feature[256];
	bool ignores_set;    /* says yes to a set feature, and changes nothing */
	uint8_t fail_opcode; /* 0 = none */
	int fail_with;       /* positive: status, negative: -errno */
	bool fails_for_ever;
	int (*extra)(struct nvme_script *s, struct nvme_passthru_cmd *cmd);
	void *arg; /* of extra's */
	struct nvme_passthru_cmd sent[NVME_SCRIPT_SENT];
	size_t n_sent;
};

static inline struct nvme_script_ns *nvme_script_ns_of(struct nvme_script *s,
						       uint32_t nsid)
{
	for (size_t i = 0; i < s->n_ns; i++)
		if (s->ns[i].nsid == nsid)
			return &s->ns[i];
	return NULL;
}

static inline int nvme_script_give(struct nvme_passthru_cmd *cmd, const void *data,
				   size_t size_b)
{
	unsigned char *to = (unsigned char *)(uintptr_t)cmd->addr;
	size_t n = cmd->data_len < size_b ? cmd->data_len : size_b;

	if (!to)
		return -EFAULT;
	memset(to, 0, cmd->data_len);
	memcpy(to, data, n);
	return 0;
}

static inline int nvme_script_list(struct nvme_script *s, struct nvme_passthru_cmd *cmd,
				   bool allocated)
{
	uint32_t list[NVME_ID_NS_LIST_MAX] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < s->n_ns; i++)
		if ((allocated || s->ns[i].active) && s->ns[i].nsid > cmd->nsid)
			list[n++] = htole32(s->ns[i].nsid);
	return nvme_script_give(cmd, list, sizeof(list));
}

static inline int nvme_script_identify(struct nvme_script *s,
				       struct nvme_passthru_cmd *cmd)
{
	struct nvme_script_ns *ns = nvme_script_ns_of(s, cmd->nsid);
	unsigned cns = cmd->cdw10 & 0xff;

	if (cns == NVME_IDENTIFY_CNS_CTRL)
		return nvme_script_give(cmd, &s->ctrl, sizeof(s->ctrl));
	if (cns == NVME_IDENTIFY_CNS_NS_ACTIVE_LIST)
		return nvme_script_list(s, cmd, false);
	if (cns == NVME_IDENTIFY_CNS_ALLOCATED_NS_LIST && !s->no_allocated_list)
		return nvme_script_list(s, cmd, true);
	if (cns != NVME_IDENTIFY_CNS_NS && cns != NVME_IDENTIFY_CNS_ALLOCATED_NS &&
	    cns != NVME_IDENTIFY_CNS_NS_DESC_LIST)
		return NVME_SC_INVALID_FIELD;
	if (!ns)
		return NVME_SC_INVALID_NS;
	if (cns == NVME_IDENTIFY_CNS_NS_DESC_LIST)
		return nvme_script_give(cmd, ns->descs, sizeof(ns->descs));
	return nvme_script_give(cmd, &ns->id, sizeof(ns->id));
}

static inline int nvme_script_features(struct nvme_script *s,
				       struct nvme_passthru_cmd *cmd)
{
	unsigned fid = cmd->cdw10 & 0xff;

	if (!s->has_feature[fid])
		return NVME_SC_INVALID_FIELD;
	if (cmd->opcode == nvme_admin_get_features)
		cmd->result = s->feature[fid];
	else if (!s->ignores_set)
		s->feature[fid] = cmd->cdw11;
	return 0;
}

static inline int nvme_script_admin(struct nvme_link *link, struct nvme_passthru_cmd *cmd)
{
	struct nvme_script *s = (struct nvme_script *)(void *)link;
	unsigned lid = cmd->cdw10 & 0xff;

	if (s->n_sent < NVME_SCRIPT_SENT)
		s->sent[s->n_sent++] = *cmd;
	if (s->fail_opcode && s->fail_opcode == cmd->opcode) {
		if (!s->fails_for_ever)
			s->fail_opcode = 0;
		return s->fail_with;
	}
	int answer = s->extra ? s->extra(s, cmd) : NVME_SCRIPT_NOT_MINE;

	if (answer != NVME_SCRIPT_NOT_MINE)
		return answer;
	if (cmd->opcode == nvme_admin_identify)
		return nvme_script_identify(s, cmd);
	if (cmd->opcode == nvme_admin_get_log_page)
		return s->has_log[lid]
			       ? nvme_script_give(cmd, s->log[lid], NVME_SCRIPT_LOG_B)
			       : NVME_SCT_CMD_SPECIFIC << NVME_SCT_SHIFT |
					 NVME_SC_INVALID_LOG_PAGE;
	if (cmd->opcode == nvme_admin_get_features ||
	    cmd->opcode == nvme_admin_set_features)
		return nvme_script_features(s, cmd);
	return NVME_SC_INVALID_OPCODE;
}

/* Fixed-width text as a drive sends it: padded with blanks, no NUL. */
static inline void nvme_script_text(char *to, size_t width, const char *text)
{
	memset(to, ' ', width);
	memcpy(to, text, strlen(text) < width ? strlen(text) : width);
}

/* n namespaces, ids 1 .. n, the first is the link's; all of the capacity is allocated. */
static inline void nvme_script_init(struct nvme_script *s, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->link = (struct nvme_link){ .fd = -1, .nsid = 1, .admin = nvme_script_admin };
	nvme_script_text(s->ctrl.sn, sizeof(s->ctrl.sn), "SCRIPT0001");
	nvme_script_text(s->ctrl.mn, sizeof(s->ctrl.mn), "Scripted Drive");
	nvme_script_text(s->ctrl.fr, sizeof(s->ctrl.fr), "1.0");
	s->ctrl.oacs = htole16(NVME_CTRL_OACS_FORMAT | NVME_CTRL_OACS_NS_MGMT);
	s->ctrl.nn = htole32((uint32_t)n);
	s->ctrl.vwc = NVME_CTRL_VWC_PRESENT;
	s->n_ns = n;
	for (size_t i = 0; i < n; i++) {
		struct nvme_id_ns *id = &s->ns[i].id;

		s->ns[i].nsid = (uint32_t)i + 1;
		s->ns[i].active = true;
		id->nsze = id->ncap = id->nuse = htole64(1 << 21);
		id->lbaf[0] = (struct nvme_lbaf){ .ds = 9 };
		id->nguid[0] = 0x0a;
		id->nguid[15] = (uint8_t)(i + 1);
	}
	s->has_log[NVME_LOG_LID_ERROR] = s->has_log[NVME_LOG_LID_SMART] = true;
	s->feature[NVME_FEAT_FID_VOLATILE_WC] = 1;
	s->has_feature[NVME_FEAT_FID_VOLATILE_WC] = true;
}

#endif
