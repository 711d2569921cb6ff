# loopmem: build, tests, installation.
#
# Sources are found by wildcard: a new file in a known folder needs no change here.
# Everything that is built goes under $(O); nothing is written into the source tree.
#
# Knobs:  DEBUG=1  SAN=address,undefined|thread  WERROR=1  V=1  O=build  CC=gcc|clang
#         VENV=build/venv (Python with torch for check-torch)  PYTHON=python3 (makes that venv)
#         TEST_JOBS=2 (tests at a time)
#         PREFIX=/usr/local  DESTDIR=  DYGRAPHS=/usr/share/javascript/dygraphs (chart of HTML reports)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

O      ?= build
PYTHON ?= python3
VENV   ?= $(O)/venv
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

include mk/quiet.mk
include mk/flags.mk
include mk/objects.mk
include mk/shim.mk
include mk/docs.mk
include mk/install.mk
include mk/tests.mk
include mk/bench.mk
include mk/lint.mk
include mk/help.mk

all: $(PROGRAMS) $(DOCS) ## build loopmem, libloopmem.so and loopmem-fit under build/

deps: ## install what is needed to build and test (apt; other systems: names what is missing)
	@PYTHON='$(PYTHON)' mk/deps.sh install build test

ifneq ($(wildcard profiler/cmd/demo.c),)
demo: ## train the reference loop in the old and the new order, compare their memory
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory all
	@$(O)/loopmem demo -o $(O)/demo
.PHONY: demo
endif

clean: ## remove everything that was built
	$(Q)rm -rf $(O)

.PHONY: all deps clean FORCE
FORCE:

# Only the folders of ours: $(O)/venv holds tens of thousands of files.
-include $(shell find $(addprefix $(O)/,profiler tui reference inject tests) -name "*.d" 2>/dev/null)
