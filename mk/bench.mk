# Benchmarks: figures to read beside their budgets, not tests. tests/bench/*.c are their subjects.

bench_sources := $(sort $(wildcard tests/bench/*.c))
bench_bins    := $(patsubst %.c,$(O)/%,$(bench_sources))

$(O)/tests/bench/%: tests/bench/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC_TARGET) -o $@ $<

bench-hooks: $(PROGRAMS) $(bench_bins) ## count the instructions that the shim adds (valgrind)
	@command -v valgrind >/dev/null || { echo 'bench-hooks: needs valgrind' >&2; exit 1; }
	@LOOPMEM_BUILD='$(abspath $(O))' tests/bench/hooks.sh

bench-process: $(PROGRAMS) $(bench_bins) ## what the shim costs a process once; MIB='64 4096' parents
	@LOOPMEM_BUILD='$(abspath $(O))' $(PYTHON) tests/bench/process.py $(MIB)

bench-top: $(PROGRAMS) $(FIXTURES) ## what the dashboard costs, and how fast it opens and moves
	@LOOPMEM_BUILD='$(abspath $(O))' $(PYTHON) tests/bench/top.py

bench-collector: $(PROGRAMS) $(TARGETS) ## what the collector costs; SECONDS=30 of each case
	@LOOPMEM_BUILD='$(abspath $(O))' $(PYTHON) tests/bench/collector.py $(SECONDS)

bench-torch: $(PROGRAMS) ## what a torch training takes longer, in 6 minutes; PAIRS=6, run in turns
	@LOOPMEM_BUILD='$(abspath $(O))' VENV='$(abspath $(VENV))' $(PYTHON) tests/bench/torch_epoch.py $(PAIRS)

bench-memory: $(PROGRAMS) ## what a torch trainer and its workers have more, in 2 minutes; RUNS=5
	@LOOPMEM_BUILD='$(abspath $(O))' VENV='$(abspath $(VENV))' $(PYTHON) tests/bench/torch_memory.py $(RUNS)

.PHONY: bench-hooks bench-process bench-top bench-collector bench-torch bench-memory
