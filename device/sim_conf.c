/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "device/ftl.h"
#include "device/sim.h"

/*
 * The first is what all others start from: slow and small, so that full-length tests take minutes.
 * About 5,000 random 4 KiB writes a second fresh and 1,500 steady, 10,000 reads.
 */
/* clang-format off */
static const struct sim_model models[] = {
	{ "enterprise", "a clear write cliff, then steady",
	  "capacity=16G,op=0.28,iu=4k,lbs=512,pages=256,dies=4,channels=2,read=400us,prog=800us,"
	  "erase=10ms,jitter=0.1,cmd=20us,buffer=1M,link=600M,channel=200M,gc=greedy,cache=none,"
	  "seed=1" },
	{ "client", "a fast SLC cache, folded when it is full or the drive idle",
	  "capacity=8G,op=0.12,read=300us,prog=1200us,cache=on,slc=2G,slc_prog=400us" },
	{ "never-steady", "slows down by 5 % in every 56 minutes, the length of an IOPS round",
	  "drift=0.05,drift_every=56m" },
	{ "throttling", "hot after 10 minutes of measurement, then 40 % slower",
	  "throttle_after=10m,throttle=0.4" },
	{ "stutter", "stands still for 50 ms in every 10 s", "stall_every=10s,stall=50ms" },
	{ "failing", "2 % of its blocks fail from minute 20 of measurement",
	  "fail_after=20m,fail_from=0.5,fail_len=0.02" },
	{ "vanishing", "gone from minute 25 of measurement", "vanish_after=25m" },
	{ "coarse-iu", "maps units of 16 KiB: smaller writes are read-modify-write", "iu=16k" },
	{ "4kn", "logical blocks of 4 KiB", "lbs=4k" },
};

enum value { SIZE, RATIO, DUR, COUNT, POLICY, CACHE };

static const char *const policy_words[] = { [FTL_GREEDY] = "greedy", [FTL_FIFO] = "fifo", NULL };
static const char *const cache_words[] = {
	[SIM_CACHE_NONE] = "none", [SIM_CACHE_OFF] = "off", [SIM_CACHE_ON] = "on", NULL };

#define KEY(name, form, value, member, min, max, about) \
	{ { name, form, about }, value, offsetof(struct sim_conf, member), min, max }
#define ANY UINT64_MAX
#define HOUR (3600 * NSEC_PER_SEC)
#define FOREVER (876000 * HOUR) /* a century: sums of such still fit */

static const struct key {
	struct sim_param param;
	enum value value;
	size_t at;
	uint64_t min, max; /* max 0: words have no range */
} keys[] = {
	KEY("capacity", "SIZE", SIZE, capacity_b, MIB(1), ANY,
	    "what the host can address"),
	KEY("op", "RATIO", RATIO, op_ppm, 1000, 10000000,
	    "over-provisioning, (physical - logical) / logical"),
	KEY("iu", "SIZE", SIZE, iu_b, KIB(4), KIB(256),
	    "mapping unit and flash page"),
	KEY("lbs", "SIZE", SIZE, lbs_b, 512, 4096,
	    "logical block, 512 or 4k"),
	KEY("pages", "N", COUNT, pages, 4, 65536,
	    "pages a block; a superblock is one block of each die"),
	KEY("dies", "N", COUNT, dies, 1, 1024,
	    "dies that read and program in parallel"),
	KEY("channels", "N", COUNT, channels, 1, 1024,
	    "channels that the dies share"),
	KEY("read", "DUR", DUR, read_ns, 0, HOUR,
	    "reading a page"),
	KEY("prog", "DUR", DUR, prog_ns, 0, HOUR,
	    "programming a page"),
	KEY("erase", "DUR", DUR, erase_ns, 0, HOUR,
	    "erasing a block"),
	KEY("jitter", "RATIO", RATIO, jitter_ppm, 0, 900000,
	    "how far page times spread around their mean"),
	KEY("cmd", "DUR", DUR, cmd_ns, 0, HOUR,
	    "the controller's time for a command"),
	KEY("buffer", "SIZE", SIZE, buffer_b, KIB(4), GIB(64),
	    "write buffer"),
	KEY("link", "SIZE", SIZE, link_bps, 0, ANY >> 20,
	    "bytes a second over the link, 0 = no limit"),
	KEY("channel", "SIZE", SIZE, channel_bps, 0, ANY >> 20,
	    "bytes a second over a channel, 0 = no limit"),
	KEY("gc", "greedy|fifo", POLICY, gc, 0, 0,
	    "how garbage collection chooses its victim"),
	KEY("cache", "none|off|on", CACHE, cache, 0, 0,
	    "volatile write cache; none: the buffer outlives power loss"),
	KEY("slc", "SIZE", SIZE, slc_b, 0, ANY,
	    "SLC cache, 0 = none"),
	KEY("slc_prog", "DUR", DUR, slc_prog_ns, 0, HOUR,
	    "programming a page of the SLC cache"),
	KEY("drift", "RATIO", RATIO, drift_ppm, 0, 1000000,
	    "how much slower a page gets every drift_every"),
	KEY("drift_every", "DUR", DUR, drift_every_ns, 0, FOREVER,
	    "the period of drift"),
	KEY("throttle_after", "DUR", DUR, throttle_after_ns, 0, FOREVER,
	    "after so much measurement it is hot and slows down, 0 = never"),
	KEY("throttle", "RATIO", RATIO, throttle_ppm, 0, 990000,
	    "how much less it does when hot"),
	KEY("stall_every", "DUR", DUR, stall_every_ns, 0, FOREVER,
	    "the period of stalls, 0 = none"),
	KEY("stall", "DUR", DUR, stall_ns, 0, 24 * HOUR,
	    "the length of a stall"),
	KEY("fail_after", "DUR", DUR, fail_after_ns, 0, FOREVER,
	    "after so much measurement a range of blocks fails, 0 = never"),
	KEY("fail_from", "RATIO", RATIO, fail_from_ppm, 0, 1000000,
	    "where in the capacity the range begins"),
	KEY("fail_len", "RATIO", RATIO, fail_len_ppm, 0, 1000000,
	    "the range's share of the capacity"),
	KEY("vanish_after", "DUR", DUR, vanish_after_ns, 0, FOREVER,
	    "after so much measurement it is gone, 0 = never"),
	KEY("seed", "N", COUNT, seed, 0, ANY,
	    "decides the serial number and the pattern of jitter"),
};
/* clang-format on */

const struct sim_model *sim_nth(size_t i)
{
	return i < ARRAY_LEN(models) ? &models[i] : NULL;
}

const struct sim_param *sim_param_nth(size_t i)
{
	return i < ARRAY_LEN(keys) ? &keys[i].param : NULL;
}

bool sim_is(const char *target)
{
	return strncmp(target, SIM_PREFIX, strlen(SIM_PREFIX)) == 0;
}

static void words_add(char *buf, size_t n, const char *word)
{
	size_t len = strlen(buf);

	snprintf(buf + len, n - len, "%s%s", len ? ", " : "", word);
}

static int unknown_name(const char *name, int len, struct err *err)
{
	char valid[256] = "";

	for (size_t i = 0; i < ARRAY_LEN(models); i++)
		words_add(valid, sizeof(valid), models[i].name);
	return err_set(err, EXIT_CODE_USAGE, EINVAL,
		       "there is no simulated drive '%.*s'; there are %s",
		       len < 64 ? len : 64, name, valid);
}

static int unknown_key(const char *key, struct err *err)
{
	char valid[512] = "";

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		words_add(valid, sizeof(valid), keys[i].param.name);
	return err_set(err, EXIT_CODE_USAGE, EINVAL,
		       "'%.64s': a simulated drive has no such parameter; it has %s", key,
		       valid);
}

static int parse_word(const struct key *k, const char *text, const char *const *words,
		      uint64_t *ret, struct err *err)
{
	for (uint64_t i = 0; words[i]; i++) {
		if (strcmp(words[i], text) != 0)
			continue;
		*ret = i;
		return 0;
	}
	return err_set(err, EXIT_CODE_USAGE, EINVAL, "%s: '%s' is none of %s",
		       k->param.name, text, k->param.form);
}

static int parse_number(const struct key *k, const char *text, uint64_t *ret,
			struct err *err)
{
	if (strcmp(text, "0") == 0 && !k->min) {
		*ret = 0;
		return 0;
	}
	switch (k->value) {
	case SIZE:
		return units_parse_size(k->param.name, text, ret, err);
	case RATIO:
		return units_parse_ratio(k->param.name, text, ret, err);
	case DUR:
		return units_parse_dur(k->param.name, text, ret, err);
	case COUNT:
		return units_parse_uint(k->param.name, text, k->min, k->max, ret, err);
	case POLICY:
		return parse_word(k, text, policy_words, ret, err);
	case CACHE:
		return parse_word(k, text, cache_words, ret, err);
	}
	return err_set(err, EXIT_CODE_INTERNAL, EINVAL, "%s: no kind", k->param.name);
}

static int parse_value(const struct key *k, const char *text, struct sim_conf *conf,
		       struct err *err)
{
	uint64_t value;
	int rc = parse_number(k, text, &value, err);

	if (rc)
		return rc;
	if (k->max && (value < k->min || value > k->max))
		return err_set(err, EXIT_CODE_USAGE, ERANGE,
			       "%s: '%s' is out of its range", k->param.name, text);
	memcpy((char *)conf + k->at, &value, sizeof(value));
	return 0;
}

static int parse_pair(char *pair, struct sim_conf *conf, struct err *err)
{
	char *value = strchr(pair, '=');

	if (value)
		*value++ = '\0';
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].param.name, pair) != 0)
			continue;
		if (!value)
			return err_set(err, EXIT_CODE_USAGE, EINVAL,
				       "'%s' needs a value: %s=%s", pair, pair,
				       keys[i].param.form);
		return parse_value(&keys[i], value, conf, err);
	}
	return unknown_key(pair, err);
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* What no single value shows. */
static int check(const struct sim_conf *c, struct err *err)
{
	uint64_t units = (c->capacity_b + c->iu_b - 1) / c->iu_b;
	u128 physical = (u128)units * (1000000 + c->op_ppm) / 1000000;

	if (!power_of_two(c->iu_b))
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "iu: it must be a power of two");
	if (c->lbs_b != 512 && c->lbs_b != 4096)
		return err_set(err, EXIT_CODE_USAGE, EINVAL, "lbs: it is 512 or 4096");
	if (c->capacity_b % c->lbs_b)
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"capacity: it must be a multiple of the logical block, %" PRIu64
			" bytes",
			c->lbs_b);
	if (c->buffer_b < c->iu_b)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "buffer: it must hold at least one unit of %" PRIu64
			       " bytes",
			       c->iu_b);
	if (c->channels > c->dies)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "channels: there are %" PRIu64 ", but only %" PRIu64
			       " dies",
			       c->channels, c->dies);
	if (physical >= FTL_NONE)
		return err_set(
			err, EXIT_CODE_USAGE, EFBIG,
			"capacity: more than 2^32 units; make it smaller or iu larger");
	if (physical < units + (u128)c->pages * c->dies * (FTL_SPARE_BLOCKS + 1))
		return err_set(
			err, EXIT_CODE_USAGE, EINVAL,
			"op: it leaves fewer than %d superblocks (pages x dies) to spare; make op "
			"or capacity larger, or pages or dies smaller",
			FTL_SPARE_BLOCKS + 1);
	if (c->drift_ppm && !c->drift_every_ns)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "drift: it needs drift_every");
	if (c->stall_every_ns && c->stall_ns >= c->stall_every_ns)
		return err_set(err, EXIT_CODE_USAGE, EINVAL,
			       "stall: it must be shorter than stall_every");
	return 0;
}

/* "key=value,key=value..." */
static int parse_pairs(const char *list, struct sim_conf *conf, struct err *err)
{
	char text[sizeof(((struct dev_info *)NULL)->path)], *rest = NULL;

	if (strlen(list) >= sizeof(text))
		return err_set(err, EXIT_CODE_USAGE, ENAMETOOLONG,
			       "the description of the simulated drive is too long");
	strcpy(text, list);
	for (char *pair = strtok_r(text, ",", &rest); pair;
	     pair = strtok_r(NULL, ",", &rest)) {
		int rc = parse_pair(pair, conf, err);

		if (rc)
			return rc;
	}
	return 0;
}

static const struct sim_model *find_model(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(models); i++)
		if (strlen(models[i].name) == len &&
		    memcmp(models[i].name, name, len) == 0)
			return &models[i];
	return NULL;
}

int sim_parse(const char *target, struct sim_conf *ret,
	      const struct sim_model **ret_model, struct err *err)
{
	const char *name = target + strlen(SIM_PREFIX), *asked = strchrnul(name, ',');
	const struct sim_model *model = find_model(name, (size_t)(asked - name));
	struct sim_conf conf = { 0 };
	int rc;

	if (!model)
		return unknown_name(name, (int)(asked - name), err);
	rc = parse_pairs(models[0].settings, &conf, err);
	if (!rc)
		rc = parse_pairs(model->settings, &conf, err);
	if (!rc)
		rc = parse_pairs(asked, &conf, err);
	if (!rc)
		rc = check(&conf, err);
	if (rc)
		return rc;
	*ret = conf;
	*ret_model = model;
	return 0;
}

static enum dev_wcache wcache(uint64_t cache)
{
	return cache == SIM_CACHE_ON    ? DEV_WCACHE_ON
	       : cache == SIM_CACHE_OFF ? DEV_WCACHE_OFF
					: DEV_WCACHE_NONE;
}

int sim_identify(const char *target, struct dev_info *ret, struct err *err)
{
	const struct sim_model *model;
	struct sim_conf conf;
	int rc = sim_parse(target, &conf, &model, err);

	if (rc)
		return rc;
	*ret = (struct dev_info){
		.kind = DEV_SIM,
		.firmware = "sim1",
		.transport = "sim",
		.size_b = conf.capacity_b,
		.lbs_b = (uint32_t)conf.lbs_b,
		.pbs_b = (uint32_t)conf.iu_b,
		.numa_node = -1,
		.wcache = wcache(conf.cache),
		.purge_methods = "sim, discard, none",
	};
	strcpy(ret->path, target);
	snprintf(ret->name, sizeof(ret->name), "%s", model->name);
	snprintf(ret->erase_id, sizeof(ret->erase_id), "%s", model->name);
	snprintf(ret->model, sizeof(ret->model), "plateau simulated %s", model->name);
	snprintf(ret->serial, sizeof(ret->serial), "SIM%016" PRIX64,
		 rng_derive(conf.seed, 0));
	snprintf(ret->wwid, sizeof(ret->wwid), "sim.%s.%016" PRIX64, model->name,
		 rng_derive(conf.seed, 0));
	return 0;
}
