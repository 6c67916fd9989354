/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/remark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct remarks {
	struct dev_remark *list;
	size_t n;
};

static void PRINTF_LIKE(4, 5)
	remark(struct remarks *r, const char *code, bool deviation, const char *fmt, ...)
{
	va_list ap;

	if (r->n == DEV_REMARKS_MAX)
		return;
	struct dev_remark *to = &r->list[r->n++];

	*to = (struct dev_remark){ .code = code, .deviation = deviation };
	va_start(ap, fmt);
	vsnprintf(to->text, sizeof(to->text), fmt, ap);
	va_end(ap);
}

/* "12.5", of 1000 parts so that no double is needed; "0.0" where all is 0. */
static const char *pct(uint64_t part, uint64_t all, char ret[24])
{
	uint64_t per_mille = all ? (uint64_t)(((u128)part * 1000 + all / 2) / all) : 0;

	snprintf(ret, 24, "%" PRIu64 ".%" PRIu64, per_mille / 10, per_mille % 10);
	return ret;
}

static void identity_remarks(struct remarks *r, const struct dev_info *d)
{
	if (d->erase_id_shared)
		remark(r, "serial-shared", false,
		       "another device here shows the serial number %s as well; the WWID "
		       "identifies it",
		       d->serial);
	if (d->serial_placeholder)
		remark(r, "serial-placeholder", false,
		       "the serial number %s is a placeholder and identifies nothing",
		       d->serial);
	if (d->kind == DEV_BLOCK && !d->erase_id[0])
		remark(r, "no-identity", false,
		       "nothing that it shows identifies it: it cannot be tested");
	if (d->unread[0])
		remark(r, "not-asked", false, "the drive itself tells nothing: %s",
		       d->unread);
	if (d->zoned)
		remark(r, "zoned", false,
		       "it is zoned, and the workloads of the specification write anywhere: "
		       "it cannot be tested");
	if (d->read_only)
		remark(r, "read-only", false, "it is read-only: it cannot be tested");
}

static void format_remarks(struct remarks *r, const struct dev_nvme *n)
{
	static const char *const perf[] = { "best", "better", "good", "degraded" };
	static const char *const pi[] = { "none", "type 1", "type 2", "type 3" };
	const struct dev_lbaf *now = &n->format[n->in_use];

	if (n->in_use >= n->n_formats)
		return;
	if (n->better >= 0)
		remark(r, "better-format", false,
		       "LBA format %u (%" PRIu32
		       " B, %s performance) is in use; format %d "
		       "(%" PRIu32 " B) is said to be %s",
		       n->in_use, now->data_b, perf[now->rel_perf & 3], n->better,
		       n->format[n->better].data_b,
		       perf[n->format[n->better].rel_perf & 3]);
	if (now->meta_b)
		remark(r, "metadata", false,
		       "%" PRIu32 " B of metadata go with each block, %s; protection "
		       "information %s",
		       now->meta_b, n->meta_extended ? "at its end" : "apart from it",
		       pi[n->pi < ARRAY_LEN(pi) ? n->pi : 0]);
}

/* "" where the drive does not say how much it has. */
static const char *share_of(const struct dev_nvme *n, uint64_t part_b, char ret[64])
{
	char of_all[24];

	ret[0] = '\0';
	if (n->total_b)
		snprintf(ret, 64, ", %s %% of its capacity,",
			 pct(part_b, n->total_b, of_all));
	return ret;
}

static void capacity_remarks(struct remarks *r, const struct dev_nvme *n)
{
	char of_all[24], share[64];

	if (n->unallocated_b)
		remark(r, "unallocated", true,
		       "%" PRIu64
		       " B of the drive%s belong to no namespace: the drive has "
		       "that much more spare area",
		       n->unallocated_b, share_of(n, n->unallocated_b, share));
	if (n->ncap < n->nsze)
		remark(r, "thin", true,
		       "the namespace holds %s %% of its size (NCAP %" PRIu64
		       " of NSZE %" PRIu64 " blocks)",
		       pct(n->ncap, n->nsze, of_all), n->ncap, n->nsze);
	if (n->namespaces > 1)
		remark(r, "other-namespaces", true,
		       "%" PRIu64 " B of the drive%s belong to %u other namespace%s",
		       n->others_b, share_of(n, n->others_b, share), n->namespaces - 1,
		       n->namespaces > 2 ? "s" : "");
}

size_t dev_remarks(const struct dev_info *info, struct dev_remark ret[DEV_REMARKS_MAX])
{
	struct remarks r = { .list = ret };
	const struct dev_nvme *n = &info->nvme;

	identity_remarks(&r, info);
	if (info->link.below)
		remark(&r, "link-below-best", true,
		       "the link runs at %s, the drive could do %s", info->link.now,
		       info->link.best);
	if (!n->known)
		return r.n;
	format_remarks(&r, n);
	capacity_remarks(&r, n);
	if (n->shared)
		remark(&r, "shared-namespace", true,
		       "the namespace is shared: another controller, perhaps of another host, "
		       "may write to it while it is tested");
	if (n->reservation == DEV_RESV_HELD)
		remark(&r, "reservation", false,
		       "a host holds a reservation on the namespace: it cannot be tested");
	return r.n;
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

/* JSON's integers are signed here. */
static json_t *count(uint64_t v)
{
	return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

static json_t *count_or_null(uint64_t v)
{
	return v ? count(v) : json_null();
}

static json_t *formats_json(const struct dev_nvme *n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n->n_formats && list; i++)
		json_array_append_new(
			list,
			json_pack("{s:i, s:I, s:I, s:i}", "index", (int)i, "data_b",
				  (json_int_t)n->format[i].data_b, "metadata_b",
				  (json_int_t)n->format[i].meta_b, "relative_performance",
				  (int)n->format[i].rel_perf));
	return list;
}

static json_t *nvme_json(const struct dev_nvme *n)
{
	static const char *const held[] = { NULL, "none", "held" };
	json_t *o =
		json_pack("{s:I, s:o, s:b}", "nsid", (json_int_t)n->nsid, "controller",
			  text_or_null(n->controller), "answered", n->known);

	if (!n->known || !o)
		return o;
	json_t *more = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:b, s:i, s:o, s:o, s:o,"
		" s:o, s:o, s:o, s:o, s:b, s:o, s:i, s:i, s:o, s:b}",
		"eui64", text_or_null(n->eui64), "nguid", text_or_null(n->nguid), "uuid",
		text_or_null(n->uuid), "nsze", count(n->nsze), "ncap", count(n->ncap),
		"nuse", count(n->nuse), "formats", formats_json(n), "format",
		(int)n->in_use, "better_format",
		n->better < 0 ? json_null() : json_integer(n->better),
		"metadata_extended", n->meta_extended, "protection_information",
		(int)n->pi, "npwg_b", count_or_null(n->npwg_b), "npwa_b",
		count_or_null(n->npwa_b), "nows_b", count_or_null(n->nows_b), "total_b",
		count_or_null(n->total_b), "unallocated_b", count(n->unallocated_b),
		"namespaces", count_or_null(n->namespaces), "others_b",
		count(n->others_b), "shared", n->shared, "reservation",
		held[n->reservation] ? json_string(held[n->reservation]) : json_null(),
		"oacs", (int)n->oacs, "fna", (int)n->fna, "sanicap", count(n->sanicap),
		"volatile_cache", n->volatile_cache);

	json_object_update(o, more);
	json_decref(more);
	return o;
}

static json_t *remarks_json(const struct dev_info *info)
{
	struct dev_remark r[DEV_REMARKS_MAX];
	size_t n = dev_remarks(info, r);
	json_t *list = json_array();

	for (size_t i = 0; i < n && list; i++)
		json_array_append_new(list, json_pack("{s:s, s:b, s:s}", "code",
						      r[i].code, "deviation",
						      r[i].deviation, "text", r[i].text));
	return list;
}

int dev_details_json(const struct dev_info *info, json_t *o)
{
	json_t *more =
		json_pack("{s:o, s:{s:o, s:o, s:b}, s:o, s:b, s:o, s:o}", "nvme",
			  info->nvme.nsid ? nvme_json(&info->nvme) : json_null(), "link",
			  "now", text_or_null(info->link.now), "best",
			  text_or_null(info->link.best), "below_best", info->link.below,
			  "form_factor", text_or_null(info->form_factor),
			  "serial_placeholder", info->serial_placeholder, "unread",
			  text_or_null(info->unread), "remarks", remarks_json(info));
	int failed = !more || json_object_update(o, more) ? -ENOMEM : 0;

	json_decref(more);
	return failed;
}
