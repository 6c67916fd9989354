/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is under test, and the right to destroy it.
 *
 * dev_identify() only looks. dev_open_read() gives a handle that can read. The safety gate,
 * dev_gate(), is the one place that turns a dev_info into a struct dev_claim, and everything
 * that can change a device takes a claim: forgetting the check does not compile.
 */
#ifndef DEVICE_DEV_H
#define DEVICE_DEV_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"

enum dev_kind { DEV_FILE, DEV_LOOP, DEV_BLOCK, DEV_SIM };
enum dev_wcache { DEV_WCACHE_UNKNOWN, DEV_WCACHE_NONE, DEV_WCACHE_OFF, DEV_WCACHE_ON };

#define DEV_WORD 160 /* the longest WWID that NVMe makes has 140 characters */

/* How fast it is connected, and how fast both ends could be; "" where unknown. */
struct dev_link {
	char now[64];  /* "8.0 GT/s PCIe x4", "6.0 Gb/s" */
	char best[64]; /* of the drive itself */
	bool below;    /* now is less than best */
};

enum dev_reservation { DEV_RESV_UNKNOWN, DEV_RESV_NONE, DEV_RESV_HELD };

/* A format that the namespace could have. */
struct dev_lbaf {
	uint32_t data_b; /* 0: not available */
	uint32_t meta_b;
	uint8_t rel_perf; /* 0 best, 1 better, 2 good, 3 degraded */
};

/* What an NVMe drive says about a namespace, and about the subsystem around it. */
struct dev_nvme {
	bool known;    /* the drive was asked, and everything below is its answer */
	uint32_t nsid; /* from the kernel; 0 = no NVMe */
	char controller[DEV_WORD]; /* "nvme0", or "nvme0, nvme1" where several reach it */
	char model[DEV_WORD], serial[DEV_WORD], firmware[DEV_WORD];
	char eui64[20], nguid[36], uuid[40];
	uint64_t nsze, ncap, nuse; /* logical blocks: size, capacity, in use */
	struct dev_lbaf format[64];
	unsigned n_formats, in_use;
	int better; /* a format of the same metadata with better performance; -1 = none */
	bool meta_extended; /* metadata travels at the end of each block */
	unsigned pi;        /* type of protection information; 0 = none */
	/* The indirection unit as it shows: preferred write granularity and alignment, optimal
	 * write; 0 = not said. */
	uint32_t npwg_b, npwa_b, nows_b;
	uint64_t total_b, unallocated_b; /* of the subsystem's NVM; 0 = not said */
	unsigned namespaces;             /* allocated in it, this one too; 0 = unknown */
	uint64_t others_b; /* capacity of the other namespaces that it shows */
	bool shared;       /* other controllers may write to it (NMIC) */
	enum dev_reservation reservation;
	uint16_t
		oacs; /* optional commands, format attributes, sanitize: as the drive sends them */
	uint8_t fna;
	uint32_t sanicap;
	bool volatile_cache; /* there is one */
};

struct dev_info {
	enum dev_kind kind;
	char path[4096]; /* resolved: no link left in it (sim: the target as given) */
	char name
		[DEV_WORD]; /* base name; kernel name of a block device: nvme0n1, loop3 */
	char vendor
		[DEV_WORD]; /* trimmed and printable (others as \xNN); "" where unknown */
	char model[DEV_WORD];
	char serial[DEV_WORD];
	char firmware[DEV_WORD];
	char wwid[DEV_WORD];
	char transport
		[DEV_WORD]; /* "NVMe", "SATA", "SAS", "USB", "virtio", "loop", "file", "sim" */
	char fs_type[DEV_WORD]; /* DEV_FILE: the file system that holds it */
	char erase_id
		[DEV_WORD];   /* what --erase must be; "" where nothing identifies it */
	bool erase_id_shared; /* another device here shows the same: WWID is needed */
	uint64_t size_b;
	uint32_t
		lbs_b; /* logical block: smallest I/O and alignment; DEV_FILE: what O_DIRECT needs */
	uint32_t pbs_b; /* physical block */
	bool read_only;
	bool is_partition;
	bool zoned;
	bool rotational;
	struct dev_link link;
	struct dev_nvme nvme;
	char form_factor[64]; /* "2.5 inches"; "" where unknown */
	char unread[256];     /* why the drive itself could not be asked; "" = it was */
	bool serial_placeholder; /* what stands there for a serial number identifies nothing */
	int numa_node;           /* -1 unknown */
	enum dev_wcache wcache; /* as the kernel sees it */
	dev_t rdev;             /* block devices; DEV_FILE: st_dev */
	ino_t ino;              /* DEV_FILE */
	char who[256]; /* who uses it, for list: "mounted on /, swap"; "" = nobody seen */
	char purge_methods[128]; /* "discard", "none" ...; what dev_purge would accept */
};

/* Where the kernel's views are; prefix is "" on a real machine, a recorded tree in tests. */
struct dev_roots {
	const char *sys;  /* "/sys" */
	const char *proc; /* "/proc" */
	const char *dev;  /* "/dev" */
};
extern const struct dev_roots dev_roots_host;

/*
 * Say what `target` is: a path that resolves to a block device, a regular file, or
 * "sim:NAME[,key=value...]". Opens nothing for writing. A missing target, a directory, a
 * character device: EXIT_CODE_USAGE.
 */
int dev_identify(const struct dev_roots *roots, const char *target, struct dev_info *ret,
		 struct err *err) MUST_CHECK;

/* Every whole block device of the machine, sorted by name (zram, loop without backing and size 0
 * left out). The caller frees *ret. */
int dev_list(const struct dev_roots *roots, struct dev_info **ret, size_t *ret_n,
	     struct err *err) MUST_CHECK;

/* The right to read. */
struct dev_handle {
	struct dev_info info;
	int fd;                /* O_RDONLY | O_DIRECT; -1 for a simulated drive */
	struct sim_drive *sim; /* owned; NULL for real ones */
};

int dev_open_read(const struct dev_info *info, struct dev_handle *ret,
		  struct err *err) MUST_CHECK;
void dev_handle_release(struct dev_handle *h);

struct dev_gate_opts {
	const char *erase_id;    /* what the operator typed */
	bool discard_signatures; /* waive signatures on a device that nobody uses */
	bool shared_ok;          /* a namespace that other controllers reach too */
	const char *waive_only;  /* ... but only these, "ext4, gpt"; NULL: any */
	const char *run_dir;     /* the disk that holds it is refused too; NULL = none */
	const struct dev_roots *roots;
};

/* The right to destroy; opaque, made by dev_gate() alone. */
struct dev_claim;

/*
 * Every check of docs/safety.md, then an exclusive open, then the identity again on the open
 * descriptor. Refusal and anything undecidable: EXIT_CODE_SAFETY, a sentence that names the
 * reason, and not one byte changed.
 */
int dev_gate(const struct dev_info *info, const struct dev_gate_opts *opts,
	     struct dev_claim **ret, struct err *err) MUST_CHECK;
/* The same checks again, on the claim held: before each destructive stage. */
int dev_claim_recheck(struct dev_claim *claim, struct err *err) MUST_CHECK;
/* The handle inside the claim (valid while the claim lives). */
const struct dev_handle *dev_claim_handle(const struct dev_claim *claim);
/* O_RDWR | O_DIRECT; -1 for a simulated drive. */
int dev_claim_fd(const struct dev_claim *claim);
/* Signatures that --discard-signatures waived, as words ("ext4, gpt"); "" = none. */
const char *dev_claim_waived(const struct dev_claim *claim);
void dev_claim_free(struct dev_claim *claim);

/*
 * Make the scratch file `path` of exactly size_b bytes, all holes, marked as plateau's by the
 * extended attribute user.plateau. An existing file is never touched: it is -EEXIST. A file
 * system without O_DIRECT or extended attributes: EXIT_CODE_HOST, nothing left behind.
 */
int dev_file_create(const char *path, uint64_t size_b, struct err *err) MUST_CHECK;

enum dev_purge_method { DEV_PURGE_NONE, DEV_PURGE_DISCARD, DEV_PURGE_SIM };

struct dev_purge_result {
	enum dev_purge_method method;
	bool is_pts_purge; /* an accepted method of @pts 3.2; discard is not */
	uint64_t bytes;
	uint64_t dur_ns;
	char words[128]; /* "discard (TRIM)": for header and ledger */
};

/* The method an edition's "purge" means on this device, or by name ("discard", "none"). */
int dev_purge_choose(const struct dev_info *info, const char *name,
		     enum dev_purge_method *ret, struct err *err) MUST_CHECK;
const char *dev_purge_word(enum dev_purge_method m);
/*
 * Purge the first size_b bytes (all of it: info.size_b) in steps of at most 1 GiB; *cancel is
 * looked at between steps (-EINTR, EXIT_CODE_INTERRUPTED). Failure: EXIT_CODE_PURGE.
 */
int dev_purge(struct dev_claim *claim, enum dev_purge_method method, uint64_t size_b,
	      struct clock *clk, const volatile sig_atomic_t *cancel,
	      struct dev_purge_result *ret, struct err *err) MUST_CHECK;

/* What the device says of its own state; `known` is false where plateau cannot ask it. */
struct dev_health {
	bool known;
	int temperature_c;
	uint64_t throttle_events; /* since power-on */
	uint64_t throttled_ns;    /* time spent throttled since then */
};
int dev_health(const struct dev_handle *h, struct dev_health *ret,
	       struct err *err) MUST_CHECK;

/* The clock that rules this device: the machine's, or a simulated drive's virtual one. */
struct clock *dev_handle_clock(const struct dev_handle *h);

#endif
