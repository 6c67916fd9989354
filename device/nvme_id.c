/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/nvme_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/text.h"

/* 128 bits, little end first; more than 64 are shown as the most that fits. */
static uint64_t le128_capped(const uint8_t bytes[16])
{
	uint64_t low = 0;

	for (int i = 15; i >= 0; i--) {
		if (i >= 8 && bytes[i])
			return UINT64_MAX;
		low = low << 8 | bytes[i];
	}
	return low;
}

/* Hexadecimal digits; "" where all are zero, which means none. */
static void hex_id(char *ret, const uint8_t *bytes, size_t n)
{
	uint8_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= bytes[i];
	ret[0] = '\0';
	for (size_t i = 0; i < n && any; i++)
		sprintf(ret + 2 * i, "%02x", bytes[i]);
}

static void read_descs(const unsigned char *descs, struct dev_nvme *ret)
{
	size_t at = 0, head = sizeof(struct nvme_ns_id_desc);

	while (at + head <= NVME_IDENTIFY_DATA_SIZE) {
		uint8_t type = descs[at], len = descs[at + 1];
		const unsigned char *id = descs + at + head;

		if (!len || at + head + len > NVME_IDENTIFY_DATA_SIZE)
			return;
		if (type == NVME_NIDT_EUI64 && len == NVME_NIDT_EUI64_LEN)
			hex_id(ret->eui64, id, len);
		else if (type == NVME_NIDT_NGUID && len == NVME_NIDT_NGUID_LEN)
			hex_id(ret->nguid, id, len);
		else if (type == NVME_NIDT_UUID && len == NVME_NIDT_UUID_LEN)
			hex_id(ret->uuid, id, len);
		at += head + len;
	}
}

static void read_formats(const struct nvme_id_ns *ns, struct dev_nvme *ret)
{
	unsigned flbas = ns->flbas & NVME_NS_FLBAS_LOWER_MASK;

	ret->n_formats = ns->nlbaf < ARRAY_LEN(ret->format)
				 ? ns->nlbaf + 1U
				 : (unsigned)ARRAY_LEN(ret->format);
	if (ret->n_formats > 16)
		flbas |= (ns->flbas & NVME_NS_FLBAS_HIGHER_MASK) >> 1;
	ret->in_use = flbas;
	for (unsigned i = 0; i < ret->n_formats; i++) {
		uint8_t ds =
			ns->lbaf[i].ds; /* a power of two; below 512 is not available */

		ret->format[i] = (struct dev_lbaf){
			.data_b = ds >= 9 && ds < 32 ? 1U << ds : 0,
			.meta_b = le16toh(ns->lbaf[i].ms),
			.rel_perf = ns->lbaf[i].rp & NVME_LBAF_RP_MASK,
		};
	}
}

/* Only formats of the same metadata: anything else is another product. */
static int better_format(const struct dev_nvme *n)
{
	const struct dev_lbaf *now = &n->format[n->in_use];
	int best = -1;

	for (unsigned i = 0; i < n->n_formats && n->in_use < n->n_formats; i++) {
		const struct dev_lbaf *f = &n->format[i];
		uint8_t beat = best < 0 ? now->rel_perf : n->format[best].rel_perf;

		if (f->data_b && f->meta_b == now->meta_b && f->rel_perf < beat)
			best = (int)i;
	}
	return best;
}

/* A count of blocks, from 0, as bytes. */
static uint32_t blocks_b(uint16_t le, uint32_t data_b)
{
	uint64_t b = (le16toh(le) + 1ULL) * data_b;

	return b > UINT32_MAX ? UINT32_MAX : (uint32_t)b;
}

void nvme_id_parse(const struct nvme_id_ctrl *ctrl, const struct nvme_id_ns *ns,
		   const unsigned char *descs, struct dev_nvme *ret)
{
	text_clean(ret->model, sizeof(ret->model), ctrl->mn, sizeof(ctrl->mn));
	text_clean(ret->serial, sizeof(ret->serial), ctrl->sn, sizeof(ctrl->sn));
	text_clean(ret->firmware, sizeof(ret->firmware), ctrl->fr, sizeof(ctrl->fr));
	hex_id(ret->eui64, ns->eui64, sizeof(ns->eui64));
	hex_id(ret->nguid, ns->nguid, sizeof(ns->nguid));
	if (descs)
		read_descs(descs, ret);
	ret->nsze = le64toh(ns->nsze);
	ret->ncap = le64toh(ns->ncap);
	ret->nuse = le64toh(ns->nuse);
	read_formats(ns, ret);
	ret->better = better_format(ret);
	ret->meta_extended = ns->flbas & NVME_NS_FLBAS_META_EXT;
	ret->pi = ns->dps & NVME_NS_DPS_PI_MASK;
	if (ns->nsfeat & NVME_NS_FEAT_IO_OPT && ret->in_use < ret->n_formats) {
		uint32_t data_b = ret->format[ret->in_use].data_b;

		ret->npwg_b = blocks_b(ns->npwg, data_b);
		ret->npwa_b = blocks_b(ns->npwa, data_b);
		ret->nows_b = blocks_b(ns->nows, data_b);
	}
	ret->total_b = le128_capped(ctrl->tnvmcap);
	ret->unallocated_b = le128_capped(ctrl->unvmcap);
	ret->shared = ns->nmic & NVME_NS_NMIC_SHARED;
	ret->oacs = le16toh(ctrl->oacs);
	ret->fna = ctrl->fna;
	ret->sanicap = le32toh(ctrl->sanicap);
	ret->volatile_cache = ctrl->vwc & NVME_CTRL_VWC_PRESENT;
}

/* How much the other namespaces hold; one that cannot be asked counts as 0. */
static uint64_t others_b(struct nvme_link *link, const uint32_t *nsid, size_t n)
{
	uint64_t sum = 0, b;

	for (size_t i = 0; i < n; i++) {
		struct nvme_id_ns *ns;
		struct dev_nvme other = { 0 };

		if (nsid[i] == link->nsid ||
		    nvme_link_id_allocated(link, nsid[i], &ns, NULL))
			continue;
		other.ncap = le64toh(ns->ncap);
		read_formats(ns, &other);
		free(ns);
		if (other.in_use < other.n_formats &&
		    !__builtin_mul_overflow(other.ncap, other.format[other.in_use].data_b,
					    &b) &&
		    !__builtin_add_overflow(sum, b, &b))
			sum = b;
	}
	return sum;
}

/* Without namespace management the attached ones are all there are. */
static void read_neighbours(struct nvme_link *link, struct dev_nvme *ret)
{
	uint32_t *nsid;
	size_t n;

	if (nvme_link_ns_list(link, true, &nsid, &n, NULL) &&
	    (ret->oacs & NVME_CTRL_OACS_NS_MGMT ||
	     nvme_link_ns_list(link, false, &nsid, &n, NULL)))
		return;
	ret->namespaces = (unsigned)n;
	ret->others_b = others_b(link, nsid, n);
	free(nsid);
}

int nvme_id_read(struct nvme_link *link, struct dev_nvme *ret, struct err *err)
{
	struct nvme_id_ctrl *ctrl = NULL;
	struct nvme_id_ns *ns = NULL;
	unsigned char *descs = NULL;
	int failed = nvme_link_id_ctrl(link, &ctrl, err);

	if (!failed)
		failed = nvme_link_id_ns(link, link->nsid, &ns, err);
	if (!failed && nvme_link_ns_descs(link, link->nsid, &descs, NULL))
		descs = NULL; /* before NVMe 1.3 */
	if (!failed) {
		ret->nsid = link->nsid;
		nvme_id_parse(ctrl, ns, descs, ret);
		read_neighbours(link, ret);
		if (!ns->rescap)
			ret->reservation = DEV_RESV_NONE;
		else
			nvme_link_reserved(link, &ret->reservation);
		ret->known = true;
	}
	free(ctrl);
	free(ns);
	free(descs);
	return failed;
}
