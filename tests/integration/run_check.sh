#!/bin/bash
# loopmem run --check: a run that is its own gate. The program is the reference loop.
. "$SRC/tests/lib/tap.sh"
cd "$TEST_TMP" || exit 1
loopmem=$LOOPMEM_BUILD/loopmem
export LOOPMEM_LIB=$LOOPMEM_BUILD/libloopmem.so

printf '%s\n' 'loopmem-budget 1' 'total.idle_retained_bytes_max <= 8 MiB' >held.budget
printf '%s\n' 'loopmem-budget 1' 'total.peak_pss_bytes <= 64' >wrong.budget
fit=("$LOOPMEM_BUILD/loopmem-fit" --epochs=2 --workers=2 --val-workers=2 --train-items=256 --val-items=128
	--step-delay=5 --cache-mib=20)

run() { # run OPTION... -- COMMAND...
	"$loopmem" run -o run.loopmem "$@" >out 2>err
	status=$?
	[ -e run.loopmem ] && mv run.loopmem last.loopmem
}

run --check held.budget -- "${fit[@]}" --order=new
claim "a run within its budget ends as the command did" test "$status" -eq 0
claim "the verdict is said" grep -q '^loopmem check: WITHIN' err
run --check held.budget -- "${fit[@]}" --order=old
claim "a run over its budget ends with 1" test "$status" -eq 1
claim "and tells figure, moment and remedy" \
	grep -qE 'over +total.idle_retained_bytes_max +[0-9.]+ MiB > 8.0 MiB' err
claim "the output stays the command's" test -z "$(grep loopmem: out)"
run -q --check held.budget -- "${fit[@]}" --order=old
claim "-q leaves the exit status alone" test "$status" -eq 1 -a ! -s err

rm -f last.loopmem
run --check wrong.budget -- touch ran
claim "a wrong budget is told before the command starts" test "$status" -eq 2 -a ! -e ran
claim "with its place" grep -q '^loopmem: wrong.budget:2:25: "64" needs a unit' err
run --check none.budget -- touch ran
claim "so is one that is not there" test "$status" -eq 2 -a ! -e ran
run --check held.budget -- sh -c 'exit 7'
claim "a command that fails keeps its status" test "$status" -eq 7
run --check held.budget -- sleep 0.5
claim "what made no pool is not called good" test "$status" -eq 3
claim "and it is said" grep -q 'holds no pool: no data loader was seen' err
LOOPMEM_LIB=/nonexistent run --check held.budget -- true
claim "what could not be profiled is not called good either" test "$status" -eq 3
claim "it is said too" grep -q 'not checked: the command was not profiled' err
LOOPMEM_LIB=/nonexistent run -- true
claim "without --check it ends as the command did" test "$status" -eq 0

end_of_claims
