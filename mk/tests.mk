# Tests. tests/unit/FOLDER/test_X.c is one cmocka driver, linked with the archive of FOLDER and of
# those after it in the link order (inject: libinject.a, reference: libreference.a); other .c files
# beside it are linked into every driver of that folder. tests/targets/ are programs to profile.

unit_sources := $(sort $(wildcard tests/unit/*/test_*.c))
unit_tests   := $(patsubst %.c,$(O)/%,$(unit_sources))

# words of $(2) from $(1) on
from_word = $(if $(2),$(if $(filter $(1),$(firstword $(2))),$(2),$(call from_word,$(1),$(wordlist 2,99,$(2)))))
archives_for = $(if $(filter inject,$(1)),$(O)/libinject.a,$(if $(filter reference,$(1)),\
	$(O)/libreference.a,$(patsubst %,$(O)/lib%.a,$(filter $(FOLDERS),$(call from_word,$(1),$(LINK_ORDER))))))

# Helpers that a folder takes from another one.
unit_helpers_view := tests/unit/model/script.c

define unit_rule
$(patsubst %.c,$(O)/%,$(filter tests/unit/$(1)/%,$(unit_sources))): $(O)/%: $(O)/%.o \
	$(call objects_of,$(filter-out tests/unit/$(1)/test_%,$(wildcard tests/unit/$(1)/*.c)) $(unit_helpers_$(1))) \
	$(call archives_for,$(1))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(PROGRAM_LINK) -o $$@ $$(filter %.o %.a,$$^) -lcmocka $$(PROGRAM_LIBS) -ldl
endef
$(foreach x,$(sort $(patsubst tests/unit/%/,%,$(dir $(unit_sources)))),$(eval $(call unit_rule,$(x))))

# Programs to profile: compiled so that no malloc/free pair is optimised away; libX.c is a .so.
target_sources := $(wildcard tests/targets/*.c tests/targets/*.cc)
target_libs    := $(patsubst %,$(O)/%.so,$(basename $(filter tests/targets/lib%,$(target_sources))))
target_bins    := $(patsubst %,$(O)/%,$(basename $(filter-out tests/targets/lib%,$(target_sources))))
TARGETS        := $(sort $(target_libs) $(target_bins))
TARGET_FLAGS   := -D_GNU_SOURCE -O1 -g -fno-builtin -pthread -I. -MMD -MP
CC_TARGET       = $(CC) -std=gnu11 $(TARGET_FLAGS) $(WARNINGS)
CXX_TARGET      = $(CXX) -std=c++17 $(TARGET_FLAGS) -Wall -Wextra

define build_target
	@mkdir -p $(@D)
	$(call say,$(1),$<)
	$(Q)$($(1)_TARGET) $(2) -o $@ $< -lm -ldl
endef
$(O)/tests/targets/%.so: tests/targets/%.c $(O)/flags
	$(call build_target,CC,-fPIC -shared)
$(O)/tests/targets/%.so: tests/targets/%.cc $(O)/flags
	$(call build_target,CXX,-fPIC -shared)
$(O)/tests/targets/%: tests/targets/%.c $(O)/flags
	$(call build_target,CC)
$(O)/tests/targets/%: tests/targets/%.cc $(O)/flags
	$(call build_target,CXX)

# Programs that make input for tests: tests/fixtures/NAME.c with the made-up runs.
FIXTURES := $(O)/tests/fixtures/reference_session
$(FIXTURES): $(patsubst %.c,$(O)/%.o,$(wildcard tests/fixtures/*.c)) $(O)/libsession.a $(O)/libbase.a
	$(call say,LD,$@)
	$(Q)$(CC) $(PROGRAM_LINK) -o $@ $^ $(PROGRAM_LIBS)

integration_tests := $(sort $(wildcard tests/integration/*.sh tests/integration/*.py))
torch_tests       := $(sort $(wildcard tests/python/test_*.py))
TEST_JOBS         ?= 2
RUN_TESTS          = LOOPMEM_BUILD='$(abspath $(O))' VENV='$(abspath $(VENV))' PYTHON='$(PYTHON)' \
	TEST_JOBS='$(TEST_JOBS)' tests/run.sh

check-unit: $(unit_tests) $(FIXTURES) ## build and run the unit tests
	@$(RUN_TESTS) $(unit_tests)

# The shim is never sanitized, so neither are the drivers of its modules.
ifneq ($(SAN),)
unit_tests := $(filter-out $(O)/tests/unit/inject/%,$(unit_tests))
endif

# The reference loop has processes, not threads, and its tests bound the memory that a process touches.
ifneq ($(findstring thread,$(SAN)),)
unit_tests := $(filter-out $(O)/tests/unit/reference/%,$(unit_tests))
endif

check-san: ## run the unit tests under ASan + UBSan, then under TSan
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory O=$(O)/asan SAN=address,undefined check-unit
	@$(MAKE) --no-print-directory O=$(O)/tsan SAN=thread check-unit

check-debug: ## run tests of the shim in a build that stops where a claim of its own does not hold
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory O=$(O)/debug DEBUG=1 check-debug-now

check-debug-now: $(PROGRAMS) $(TARGETS)
	@$(RUN_TESTS) $(addprefix tests/integration/,sites_native.py sites_python.py sites_storm.py shim_lives.py shim_totals.py)

check: ## set up, build, run every test but those that need torch
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory check-now

check-now: $(PROGRAMS) $(DOCS) $(unit_tests) $(TARGETS) $(FIXTURES)
	@$(RUN_TESTS) $(unit_tests) $(RULES) $(integration_tests)

check-torch: ## set up a Python with torch in VENV, run the tests that need it
	@$(MAKE) --no-print-directory deps
	@PYTHON='$(PYTHON)' mk/venv.sh '$(VENV)'
	@$(MAKE) --no-print-directory check-torch-now

check-torch-now: $(PROGRAMS) $(TARGETS)
	@$(RUN_TESTS) $(torch_tests)

check-pythons: $(PROGRAMS) $(TARGETS) ## run what holds for each CPython found here: stacks, objects, processes
	@$(RUN_TESTS) $(addprefix tests/integration/,python_headers.py sites_python.py sites_python_objects.py) \
		$(addprefix tests/python/,test_bootstrap.py test_processes.py)

stress: $(PROGRAMS) $(TARGETS) ## call sites beside forks, dlopen and signal handlers; SECONDS=600, DEBUG=1 O=build/debug
	@TEST_TIMEOUT=$$(( 30 * $(or $(SECONDS),600) )) STORM_SECONDS='$(or $(SECONDS),600)' \
		$(RUN_TESTS) tests/integration/sites_storm.py

.PHONY: stress check check-debug check-debug-now check-now check-pythons check-san check-torch check-torch-now check-unit
