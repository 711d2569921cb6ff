# What a reviewer should not have to look for. The rules of headers and includes are part of
# `make check` too; formatting is only here, since it changes with the version of clang-format.

RULES := tests/lint/headers.sh tests/lint/includes.sh

lint: ## check format, warnings of both compilers, headers, includes, scripts
	@mk/deps.sh install build test lint
	@for compiler in gcc clang; do \
		$(MAKE) --no-print-directory O=$(O)/lint-$$compiler CC=$$compiler WERROR=1 build-everything \
			|| exit 1; \
	done
	@$(MAKE) --no-print-directory all
	@$(RUN_TESTS) $(RULES) tests/lint/format.sh

format: ## lay out all C sources by clang-format
	@mk/deps.sh install lint
	$(Q)clang-format -i $$(find inject profiler reference tests tui -name '*.[ch]' 2>/dev/null)

build-everything: $(PROGRAMS) $(unit_tests) $(TARGETS)

.PHONY: format lint build-everything
