/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identify data as drives send it; the expected values are worked out by hand from the layouts. */
#include "device/nvme_id.h"

#include <check.h>
#include <errno.h>

#include "device/probe.h"
#include "device/remark.h"
#include "tests/lib/nvme_script.h"
#include "tests/lib/suite.h"

static struct nvme_script s;

static struct dev_info read_it(void)
{
	struct dev_info info = { .kind = DEV_BLOCK,
				 .path = "/dev/nvme0n1",
				 .erase_id = "SCRIPT0001" };

	ck_assert_int_eq(nvme_id_read(&s.link, &info.nvme, NULL), 0);
	ck_assert(info.nvme.known);
	return info;
}

static bool has_remark(const struct dev_info *info, const char *code, const char *words)
{
	struct dev_remark r[DEV_REMARKS_MAX];
	size_t n = dev_remarks(info, r);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(r[i].code, code)) {
			if (words)
				ck_assert_ptr_nonnull(strstr(r[i].text, words));
			return true;
		}
	return false;
}

START_TEST(a_whole_drive_in_one_namespace_has_no_remark)
{
	struct dev_remark r[DEV_REMARKS_MAX];

	nvme_script_init(&s, 1);
	struct dev_info info = read_it();

	ck_assert_uint_eq(dev_remarks(&info, r), 0);
	ck_assert_str_eq(info.nvme.serial, "SCRIPT0001");
	ck_assert_str_eq(info.nvme.nguid, "0a000000000000000000000000000001");
	ck_assert_str_eq(info.nvme.eui64, "");
	ck_assert_uint_eq(info.nvme.namespaces, 1);
	ck_assert_uint_eq(info.nvme.format[0].data_b, 512);
}
END_TEST

START_TEST(strings_with_rubbish_are_shown_safely)
{
	nvme_script_init(&s, 1);
	memcpy(s.ctrl.sn, "\n\x1b[2J\\AB\xff 1  \0\0\0\0\0\0", 20);
	memset(s.ctrl.mn, 'M', sizeof(s.ctrl.mn)); /* no terminator */
	memset(s.ctrl.fr, ' ', sizeof(s.ctrl.fr));
	struct dev_info info = read_it();

	ck_assert_str_eq(info.nvme.serial, "\\x1b[2J\\x5cAB\\xff 1");
	ck_assert_uint_eq(strlen(info.nvme.model), 40);
	ck_assert_str_eq(info.nvme.firmware, "");
}
END_TEST

/* Four formats: 512, 512+8 in use with PI 3, 4096 best, 4096+64. */
START_TEST(formats_metadata_and_protection_are_told_apart)
{
	struct nvme_id_ns *id;

	nvme_script_init(&s, 1);
	id = &s.ns[0].id;
	id->nlbaf = 3;
	id->lbaf[0] = (struct nvme_lbaf){ .ds = 9, .rp = 2 };
	id->lbaf[1] = (struct nvme_lbaf){ .ds = 9, .ms = htole16(8), .rp = 2 };
	id->lbaf[2] = (struct nvme_lbaf){ .ds = 12, .rp = 0 };
	id->lbaf[3] = (struct nvme_lbaf){ .ds = 12, .ms = htole16(64), .rp = 1 };
	id->flbas = 1 | 1 << 4;
	id->dps = 3;
	struct dev_info info = read_it();

	ck_assert_uint_eq(info.nvme.n_formats, 4);
	ck_assert_uint_eq(info.nvme.in_use, 1);
	ck_assert_uint_eq(info.nvme.format[1].meta_b, 8);
	ck_assert(info.nvme.meta_extended);
	ck_assert_uint_eq(info.nvme.pi, 3);
	ck_assert_int_eq(info.nvme.better, -1); /* none with 8 bytes of metadata */
	ck_assert(has_remark(&info, "metadata", "type 3"));
	id->flbas = 0;
	info = read_it();
	ck_assert_int_eq(info.nvme.better, 2);
	ck_assert(has_remark(&info, "better-format",
			     "format 2 (4096 B) is said to be best"));
}
END_TEST

START_TEST(the_64_formats_of_nvme_2_have_a_longer_index)
{
	struct nvme_id_ns *id;

	nvme_script_init(&s, 1);
	id = &s.ns[0].id;
	id->nlbaf = 63;
	id->lbaf[0x2a] = (struct nvme_lbaf){ .ds = 12 };
	id->flbas = 0x0a | 2 << 5; /* 0x2a = 10 in the low four bits, 2 in the high two */
	struct dev_info info = read_it();

	ck_assert_uint_eq(info.nvme.in_use, 0x2a);
	ck_assert_uint_eq(info.nvme.format[0x2a].data_b, 4096);
}
END_TEST

/* 1.92 TB drive: one namespace of 1.2 TB, another of 0.36 TB, 0.36 TB free. */
START_TEST(unallocated_capacity_and_neighbours_are_deviations_with_their_share)
{
	const uint64_t all = 1920000000000, one = 1200000000000, free_b = 360000000000;

	nvme_script_init(&s, 2);
	s.ns[0].id.nsze = s.ns[0].id.ncap = htole64(one / 512);
	s.ns[1].id.nsze = s.ns[1].id.ncap = htole64((all - one - free_b) / 512);
	s.ns[1].active = false;
	for (int i = 0; i < 8; i++) {
		s.ctrl.tnvmcap[i] = (uint8_t)(all >> 8 * i);
		s.ctrl.unvmcap[i] = (uint8_t)(free_b >> 8 * i);
	}
	struct dev_info info = read_it();

	ck_assert_uint_eq(info.nvme.total_b, all);
	ck_assert_uint_eq(info.nvme.namespaces, 2);
	ck_assert_uint_eq(info.nvme.others_b, 360000000000);
	ck_assert(has_remark(
		&info, "other-namespaces",
		"360000000000 B of the drive, 18.8 % of its capacity, belong"));
	/* 360 / 1920 = 18.75 */
	ck_assert(has_remark(&info, "unallocated", "18.8 %"));
	ck_assert(has_remark(&info, "other-namespaces", "18.8 %"));
	s.ns[0].id.ncap = htole64(one / 512 / 4);
	info = read_it();
	ck_assert(has_remark(&info, "thin", "25.0 %"));
}
END_TEST

START_TEST(capacities_of_128_bits_are_capped_and_sectors_above_32_bits_counted)
{
	nvme_script_init(&s, 1);
	memset(s.ctrl.tnvmcap, 0xff, 16);
	s.ns[0].id.nsze = s.ns[0].id.ncap = htole64(60012345678ULL);
	struct dev_info info = read_it();

	ck_assert_uint_eq(info.nvme.total_b, UINT64_MAX);
	ck_assert_uint_eq(info.nvme.nsze, 60012345678ULL);
}
END_TEST

START_TEST(the_indirection_unit_is_only_read_where_it_is_meant)
{
	struct nvme_id_ns *id;

	nvme_script_init(&s, 1);
	id = &s.ns[0].id;
	id->npwg = htole16(31); /* from 0: 32 blocks of 512 = 16 KiB */
	id->nows = htole16(255);
	ck_assert_uint_eq(read_it().nvme.npwg_b, 0);
	id->nsfeat = NVME_NS_FEAT_IO_OPT;
	ck_assert_uint_eq(read_it().nvme.npwg_b, 16384);
	ck_assert_uint_eq(read_it().nvme.npwa_b, 512);
	ck_assert_uint_eq(read_it().nvme.nows_b, 131072);
}
END_TEST

START_TEST(descriptors_that_run_over_their_page_are_left_out)
{
	unsigned char *d;

	nvme_script_init(&s, 1);
	d = s.ns[0].descs;
	d[0] = 1, d[1] = 8;
	memcpy(d + 4, "\x00\x25\x38\x11\x22\x33\x44\x55", 8);
	d[12] = 3, d[13] = 255;
	struct dev_info info = read_it();

	ck_assert_str_eq(info.nvme.eui64, "0025381122334455");
	ck_assert_str_eq(info.nvme.uuid, "");
	memset(d, 0xff, NVME_IDENTIFY_DATA_SIZE);
	(void)read_it();
}
END_TEST

START_TEST(old_drives_without_lists_count_as_unknown)
{
	nvme_script_init(&s, 1);
	s.no_allocated_list = true;
	s.ctrl.oacs = 0;
	ck_assert_uint_eq(read_it().nvme.namespaces, 1); /* the active list tells */
	s.ctrl.oacs = htole16(NVME_CTRL_OACS_NS_MGMT);
	ck_assert_uint_eq(read_it().nvme.namespaces, 0); /* there may be detached ones */
}
END_TEST

static uint8_t reservation_type;

static int report_reservation(struct nvme_link *link, struct nvme_passthru_cmd *cmd)
{
	struct nvme_resv_status *report = (struct nvme_resv_status *)(uintptr_t)cmd->addr;

	(void)link;
	ck_assert_int_eq(cmd->opcode, 0x0e);
	report->rtype = reservation_type;
	return 0;
}

START_TEST(a_reservation_is_seen_before_and_on_the_open_descriptor)
{
	struct err err;

	nvme_script_init(&s, 1);
	s.ns[0].id.rescap = 0xff;
	s.link.io = report_reservation;
	reservation_type = 0;
	struct dev_info info = read_it();

	ck_assert_int_eq(info.nvme.reservation, DEV_RESV_NONE);
	ck_assert_int_eq(probe_confirm_nvme(&s.link, &info, &err), 0);
	reservation_type = 1;
	ck_assert(read_it().nvme.reservation == DEV_RESV_HELD);
	ck_assert_int_ne(probe_confirm_nvme(&s.link, &info, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	ck_assert_ptr_nonnull(strstr(err.text, "reservation"));
}
END_TEST

START_TEST(another_namespace_or_drive_on_the_descriptor_is_refused)
{
	struct err err;

	nvme_script_init(&s, 2);
	struct dev_info info = read_it();

	ck_assert_int_eq(probe_confirm_nvme(&s.link, &info, &err), 0);
	s.link.nsid = 2;
	ck_assert_int_ne(probe_confirm_nvme(&s.link, &info, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	s.link.nsid = 1;
	s.ctrl.sn[9] = '2';
	ck_assert_int_ne(probe_confirm_nvme(&s.link, &info, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	s.fail_opcode = nvme_admin_identify;
	s.fail_with = -EIO;
	ck_assert_int_ne(probe_confirm_nvme(&s.link, &info, &err), 0);
	ck_assert_int_eq(err.code, EXIT_CODE_SAFETY);
	s.fail_opcode = nvme_admin_identify;
	s.fail_with = -ENODEV;
	ck_assert_int_eq(probe_confirm_nvme(&s.link, &info, &err), -ENODEV);
	ck_assert_int_eq(err.code, EXIT_CODE_DEVICE);
}
END_TEST

START_TEST(every_detail_is_in_the_json)
{
	static const char *const keys[] = { "nsid",   "controller", "formats",
					    "npwg_b", "shared",     "sanicap" };
	json_t *o = json_object();

	nvme_script_init(&s, 1);
	s.ns[0].id.nmic = 1;
	struct dev_info info = read_it();

	ck_assert(has_remark(&info, "shared-namespace", NULL));
	ck_assert_int_eq(dev_details_json(&info, o), 0);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		ck_assert_ptr_nonnull(
			json_object_get(json_object_get(o, "nvme"), keys[i]));
	json_decref(o);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("nvme_id");
	Suite *suite = suite_create("device/nvme_id");

	tcase_add_test(tc, a_whole_drive_in_one_namespace_has_no_remark);
	tcase_add_test(tc, strings_with_rubbish_are_shown_safely);
	tcase_add_test(tc, formats_metadata_and_protection_are_told_apart);
	tcase_add_test(tc, the_64_formats_of_nvme_2_have_a_longer_index);
	tcase_add_test(
		tc, unallocated_capacity_and_neighbours_are_deviations_with_their_share);
	tcase_add_test(
		tc, capacities_of_128_bits_are_capped_and_sectors_above_32_bits_counted);
	tcase_add_test(tc, the_indirection_unit_is_only_read_where_it_is_meant);
	tcase_add_test(tc, descriptors_that_run_over_their_page_are_left_out);
	tcase_add_test(tc, old_drives_without_lists_count_as_unknown);
	tcase_add_test(tc, a_reservation_is_seen_before_and_on_the_open_descriptor);
	tcase_add_test(tc, another_namespace_or_drive_on_the_descriptor_is_refused);
	tcase_add_test(tc, every_detail_is_in_the_json);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
