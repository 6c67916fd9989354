# plateau - SNIA PTS harness. This comment is the manual of the build.
#
#   make              the program: $(O)/plateau
#   make demo         install what is missing, build, run all four tests on a scratch file, leave a PDF
#   make check        install what is missing, build, run every test that needs no special hardware
#   make check-vm     what needs a machine of its own: boots one in QEMU (root; the first time it loads Debian packages for it)
#   make unit         the unit tests alone;   make lint   the source checks alone
#   make torture      runs that are killed at random moments and resumed (KILLS=300)
#   make bench        the engine beside a bare libaio loop and fio, on zram and loop devices made for it (root)
#   make fuzz         libFuzzer on every parser of foreign data, FUZZ_SECONDS=60 each, FUZZ="text mounts" only these (clang)
#   make man          $(O)/plateau.8, from the option table
#   make install      DESTDIR= prefix=/usr/local; with the systemd unit of unattended batches
#   make setup        only install the Debian packages that are missing (root or sudo)
#   make clean        remove $(O)
#
#   O=build           where everything goes; several builds live side by side
#   SAN=address,undefined   or SAN=thread: a sanitizer build (use with its own O=)
#   DEV=1             warnings are errors
#   CC=clang          another compiler
#   V=1               show commands
#   TEST=glob         check: only tests whose name matches
#   BENCH="zram qd1"  bench: only these cases; tests/bench/run --help has more
#   SRC_DIRS="base"   build and unit-test some layers alone (they need nothing above them)
#
#   make O=build-asan SAN=address,undefined check
#   make O=build-clang CC=clang DEV=1

O ?= build
prefix ?= /usr/local
SRC_DIRS ?= base device engine steady_state store pts report import cli
NO_SETUP ?=

ifeq ($(V),1)
Q :=
else
Q := @
MAKEFLAGS += --no-print-directory
endif
say = @printf '  %-7s %s\n' $(1) $(2)

all: $(O)/plateau

# What must be there before pkg-config can be asked; tools/setup says what is missing.
SETUP_GOALS := all demo check check-vm bench unit lint man install $(O)/plateau
ifneq ($(filter $(or $(MAKECMDGOALS),all),$(SETUP_GOALS)),)
ifeq ($(NO_SETUP),)
setup_kind := $(if $(filter demo check check-vm bench,$(MAKECMDGOALS)),install,tell)
setup_for := $(if $(filter check-vm,$(MAKECMDGOALS)),vm,$(if $(filter check unit lint,$(MAKECMDGOALS)),test,$(if $(filter bench,$(MAKECMDGOALS)),bench,$(if \
	$(filter demo,$(MAKECMDGOALS)),run,build))))
ifneq ($(shell tools/setup $(setup_kind) $(setup_for) 1>&2 && echo ok),ok)
$(error packages are missing)
endif
endif
endif

PKGS := glib-2.0 libxml-2.0 gsl jansson cairo pangocairo librsvg-2.0 blkid mount zlib inih
PKG_CFLAGS := $(subst -I,-isystem ,$(shell pkg-config --cflags $(PKGS) 2>/dev/null))
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -laio -lnvme -lm
CHECK_CFLAGS := $(subst -I,-isystem ,$(shell pkg-config --cflags check 2>/dev/null))
CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wundef -Wwrite-strings -Wpointer-arith \
	-Wcast-qual -Wcast-align -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wimplicit-fallthrough -Wswitch-enum -Wdouble-promotion \
	-Wfloat-conversion -Wconversion -Wsign-conversion
WARN += $(if $(DEV),-Werror)

UNIT := plateau-batch@.service
VERSION := $(shell cat VERSION)
# Not the user's to drop: the arithmetic of a verdict must not depend on the compiler.
MUST := -std=c17 -D_GNU_SOURCE -I. -fno-common -ffp-contract=off -fno-fast-math \
	-DPLATEAU_VERSION='"$(VERSION)"' -pthread
ifeq ($(SAN),)
CFLAGS ?= -O2 -g
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
LDHARDEN := -pie -Wl,-z,relro,-z,now
else
CFLAGS ?= -O1 -g -fno-omit-frame-pointer
HARDEN := -fsanitize=$(SAN) -fno-sanitize-recover=undefined -fPIE
LDHARDEN := -fsanitize=$(SAN) -pie
endif
ALL_CFLAGS = $(MUST) $(WARN) $(HARDEN) $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread $(LDHARDEN) $(LDFLAGS)

SRCS := $(sort $(foreach d,$(SRC_DIRS),$(wildcard $(d)/*.c)))
LIB_SRCS := $(filter-out cli/main.c,$(SRCS))
UNIT_SRCS := $(sort $(foreach d,$(SRC_DIRS),$(wildcard tests/unit/test_$(d)_*.c)))
INTEG_SRCS := $(sort $(foreach d,$(SRC_DIRS),$(wildcard tests/integration/test_$(d)_*.c)))
HDRS := $(sort $(foreach d,$(SRC_DIRS),$(wildcard $(d)/*.h)))
OBJ = $(patsubst %.c,$(O)/%.o,$(1))

# Changing flags rebuilds.
FLAGS_NOW := $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(shell mkdir -p $(O); printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $(O)/.flags || \
	printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' >$(O)/.flags)

$(O)/%.o: %.c $(O)/.flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(filter tests/%,$<),$(CHECK_CFLAGS)) -MMD -MP -c -o $@ $<

$(O)/libplateau.a: $(call OBJ,$(LIB_SRCS))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/plateau: $(O)/cli/main.o $(O)/libplateau.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

# A test that stands in the way of a library call names it: "/* wrap: io_submit */" in its source.
wraps = $(shell sed -n 's|^/\* wrap: \(.*\) \*/$$|\1|p' $(1))
UNIT_BINS := $(patsubst %.c,$(O)/%,$(UNIT_SRCS) $(INTEG_SRCS))
FUZZ_SRCS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BINS := $(patsubst %.c,$(O)/%,$(FUZZ_SRCS))
SCRIPTED := $(O)/tests/bench/scripted
$(UNIT_BINS) $(SCRIPTED): $(O)/%: $(O)/%.o $(O)/libplateau.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(foreach w,$(call wraps,$*.c),-Wl,--wrap=$(w)) \
		-o $@ $< $(O)/libplateau.a $(PKG_LIBS) $(CHECK_LIBS)

$(O)/tests/bench/bare: $(O)/tests/bench/bare.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< -laio

# With SAN=fuzzer-no-link,... libFuzzer's own main, else the one that replays files.
FUZZ_MAIN := $(if $(findstring fuzzer,$(SAN)),-fsanitize=fuzzer,$(O)/tests/fuzz/replay.o)
$(FUZZ_BINS): $(O)/%: $(O)/%.o $(O)/tests/fuzz/replay.o $(O)/libplateau.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< $(FUZZ_MAIN) $(O)/libplateau.a $(PKG_LIBS)

HDR_OK := $(patsubst %.h,$(O)/%.hdr-ok,$(HDRS))
$(HDR_OK): $(O)/%.hdr-ok: %.h $(O)/.flags
	@mkdir -p $(@D)
	$(Q)echo '#include "$<"' | $(CC) $(ALL_CFLAGS) -fsyntax-only -x c - && touch $@

hdr-check: $(HDR_OK)

lint: hdr-check
	$(Q)tests/lint/run

tests-built: $(UNIT_BINS) $(FUZZ_BINS)

unit: $(UNIT_BINS)
	$(Q)tests/run --build $(O) unit

check: $(O)/plateau $(O)/plateau.8 $(O)/$(UNIT) $(UNIT_BINS) $(FUZZ_BINS) $(SCRIPTED) lint
	$(Q)tests/run --build $(O) $(if $(SAN),--sanitized) $(if $(TEST),--test '$(TEST)') unit integration fuzz e2e

check-vm: $(O)/plateau $(O)/$(UNIT)
	$(Q)tests/run --build $(O) $(if $(TEST),--test '$(TEST)') vm

fuzz-built: $(FUZZ_BINS)

FUZZ_SECONDS ?= 60
FUZZ ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(FUZZ_SRCS))
fuzz:
	$(Q)$(MAKE) O=$(O)-fuzz CC=clang SAN=fuzzer-no-link,address,undefined fuzz-built
	$(Q)tests/fuzz/run $(O)-fuzz $(FUZZ_SECONDS) $(FUZZ)

bench: $(O)/plateau $(O)/tests/bench/bare
	$(Q)tests/bench/run --build $(O) $(BENCH)

KILLS ?= 300
torture: $(O)/plateau
	$(Q)rm -rf $(O)/torture && mkdir -p $(O)/torture && cd $(O)/torture && \
		PLATEAU=$(abspath $(O)/plateau) $(CURDIR)/tests/torture/kills $(KILLS)

demo: $(O)/plateau
	$(Q)tools/demo $(O)

man: $(O)/plateau.8
$(O)/plateau.8: $(O)/plateau docs/plateau.8.in
	$(call say,MAN,$@)
	$(Q)$(O)/plateau help --man <docs/plateau.8.in >$@.tmp && mv $@.tmp $@

$(O)/$(UNIT): systemd/$(UNIT).in Makefile
	$(Q)sed 's|@sbindir@|$(prefix)/sbin|' $< >$@

install: $(O)/plateau $(O)/plateau.8 $(O)/$(UNIT)
	install -D -m 755 $(O)/plateau $(DESTDIR)$(prefix)/sbin/plateau
	install -D -m 644 $(O)/plateau.8 $(DESTDIR)$(prefix)/share/man/man8/plateau.8
	install -D -m 644 $(O)/$(UNIT) $(DESTDIR)$(prefix)/lib/systemd/system/$(UNIT)

setup:
	$(Q)tools/setup install test

clean:
	rm -rf $(O)

.PHONY: all hdr-check lint unit tests-built fuzz fuzz-built check check-vm bench torture demo man install setup clean
.DELETE_ON_ERROR:
.SECONDARY:

-include $(patsubst %.o,%.d,$(call OBJ,$(SRCS) $(UNIT_SRCS) $(INTEG_SRCS) $(wildcard tests/fuzz/*.c tests/bench/*.c)))
