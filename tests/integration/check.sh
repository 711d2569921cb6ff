#!/bin/bash
# loopmem check from outside: exit codes, messages, files, on sessions of the fixture.
. "$SRC/tests/lib/tap.sh"
cd "$TEST_TMP" || exit 1
loopmem=$LOOPMEM_BUILD/loopmem
make_session=$LOOPMEM_BUILD/tests/fixtures/reference_session
"$make_session" run.loopmem

check() { # check ARGUMENTS...: output in out and err, exit code in $status
	"$loopmem" check "$@" >out 2>err
	status=$?
}
exits() { # exits CODE ARGUMENTS...
	local expected=$1
	shift
	check "$@"
	[ "$status" -eq "$expected" ] || { echo "exit $status" && cat out err && return 1; }
}
budget() { # budget FILE LINE...
	local file=$1
	shift
	printf '%s\n' 'loopmem-budget 1' "$@" >"$file"
}

# ---- exit codes
claim "0: within" exits 0 run.loopmem --max total.peak_pss_bytes=27GiB
claim "1: over" exits 1 run.loopmem --max total.peak_pss_bytes=26GiB
claim "1: a pool that is not there" exits 1 run.loopmem --max 'pool(test).stall_s=1 s'
claim "0: without a baseline" exits 0 run.loopmem --baseline none.json
claim "3: without a baseline that is required" exits 3 run.loopmem --baseline none.json --require-baseline
claim "3: a required baseline that nobody named" exits 3 run.loopmem --require-baseline
claim "2: no session" exits 2 --max total.peak_pss_bytes=1GiB
claim "2: no rule" exits 2 run.loopmem
claim "2: a wrong key" exits 2 run.loopmem --max total.peak_rss=1GiB
claim "2: a wrong option" exits 2 run.loopmem --maximum 3
claim "2: a budget that is not there" exits 2 run.loopmem --budget none.budget
claim "2: another CI system" exits 2 run.loopmem --ci gitlab
claim "2: an option that would be ignored" exits 2 run.loopmem --max total.peak_pss_bytes=1GiB --commit x
claim "3: no such session" exits 3 none.loopmem --max total.peak_pss_bytes=1GiB
echo text >text.loopmem
claim "3: not a session" exits 3 text.loopmem --max total.peak_pss_bytes=1GiB
head -c 100000 run.loopmem >cut.loopmem
claim "3: a truncated session" exits 3 cut.loopmem --max total.peak_pss_bytes=100GiB
"$make_session" --until 300 part.loopmem
claim "3: a run that did not end" exits 3 part.loopmem --max total.peak_pss_bytes=100GiB
claim "over beats what cannot be checked" exits 1 run.loopmem --baseline none.json --require-baseline \
	--max total.peak_pss_bytes=1GiB

# ---- what is said
budget a.budget '# why' 'total.peak_pss_bytes <= 20 GiB' 'pool(*).private_bytes_max <= 2.5G' \
	'allow finding idle-pool-retained until 2027-02-30'
check run.loopmem --budget a.budget
claim "every mistake of a budget is shown, with file, line and column" diff err - <<'END'
loopmem: a.budget:4:30: "2.5G" has no clear unit: write "2.5 GiB" (2684354560 bytes) or "2.5 GB" (2500000000 bytes)
  pool(*).private_bytes_max <= 2.5G
                               ^~~~
loopmem: a.budget:5:1: "allow" needs a reason: add  because "..."
  allow finding idle-pool-retained until 2027-02-30
  ^~~~~
loopmem: a.budget:5:40: 2027-02-30 is not a date
  allow finding idle-pool-retained until 2027-02-30
                                         ^~~~~~~~~~
END
claim "nothing is judged then" test ! -s out

check run.loopmem --max total.idle_retained_bytes_max=1GiB
claim "a failure names pool, phase and remedy in its first lines" \
	grep -qE 'train #6 e2.*|validate e2' <(head -n 3 out)
claim "the remedy is a command" \
	grep -qx '  Fix    loopmem run --release-idle-workers -- python train.py .*peak 18.1 GiB then' out
claim "and the first line is the verdict" \
	grep -qx 'loopmem check: OVER  1 of 1 rules  (head 1 run; [0-9]* processes)' <(head -n 1 out)
check run.loopmem --max total.peak_pss_bytes=100GiB
claim "what passes is one line" test "$(wc -l <out)" -eq 1
claim "--quiet prints nothing" test -z "$("$loopmem" check -q run.loopmem --max total.peak_pss_bytes=1GiB)"
check --list-keys
claim "--list-keys needs no session" grep -q '^pool(\*).private_bytes_max  *64 MiB' out

# ---- precedence and --explain
budget b.budget 'total.peak_pss_bytes <= 1 GiB'
budget c.budget 'total.peak_pss_bytes <= 27 GiB'
claim "a later budget beats an earlier one" exits 0 run.loopmem --budget b.budget --budget c.budget
claim "and the other way round" exits 1 run.loopmem --budget c.budget --budget b.budget
claim "a flag beats them all" exits 0 run.loopmem --max total.peak_pss_bytes=27GiB --budget b.budget
check run.loopmem --budget b.budget --budget c.budget --explain
claim "--explain shows the line that decided" grep -q 'decided by c.budget:2: total.peak_pss_bytes <= 27 GiB' out

# ---- suggest
claim "a suggested budget is written" exits 0 run.loopmem run.loopmem --suggest -o suggested.budget
claim "and kept by the runs it was made from" exits 0 run.loopmem --budget suggested.budget
claim "it says from what" grep -q '# 2 runs: 26.4 GiB to 26.4 GiB, spread 0.0%' suggested.budget

# ---- baselines
for commit in 1 2 3; do
	"$loopmem" check run.loopmem --write-baseline base.json --commit "main@$commit" >/dev/null
done
claim "a baseline is at most 16 KiB" test "$(stat -c %s base.json)" -le 16384
check run.loopmem --baseline base.json
claim "the same run is unchanged" test "$status" -eq 0
claim "the first line names the baseline" grep -q '(baseline main@3, 3 runs; head 1 run;' out
claim "a session is a baseline too" exits 0 run.loopmem --baseline run.loopmem --require-baseline
sed 's/"total.peak_pss_bytes":28/"total.peak_pss_bytes":20/' base.json >small.json
claim "growth against the baseline fails" exits 1 run.loopmem --baseline small.json
claim "it says how much, and the noise that three runs tell" \
	grep -qE 'regressed +total.peak_pss_bytes +26.4 GiB, \+39.3% \(\+7.5 GiB\); tolerance 5.0%, noise [0-9.]+%  ' out
claim "nothing is assumed then" test "$(grep -c assumed out)" -eq 0
"$loopmem" check run.loopmem --write-baseline one.json --commit main@1 >/dev/null
sed -i 's/"total.peak_pss_bytes":28/"total.peak_pss_bytes":20/' one.json
check run.loopmem --baseline one.json
claim "one run does not: the figure and the note say that it is assumed" test \
	"$(grep -cE 'noise [0-9.]+% assumed  ' out),$(grep -c 'noise is assumed, 1 baseline run does not tell it' out err | paste -sd,)" = \
	"1,out:1,err:0"
claim "a tolerance by flag" exits 0 run.loopmem --baseline small.json --tolerance total.peak_pss_bytes=+50%
claim "a regressed run does not become the baseline" exits 1 run.loopmem --baseline small.json --write-baseline base.json
claim "an unreadable baseline is 3" exits 3 run.loopmem --baseline text.loopmem

# ---- files
claim "all files are written although the check fails" exits 1 run.loopmem --max total.peak_pss_bytes=1GiB \
	--junit j.xml --json j.json --code-quality cq.json
claim "JUnit" grep -q '<failure type="over" message="26.4 GiB &gt; 1.0 GiB, +25.4 GiB">' j.xml
claim "JSON" grep -q '"verdict": "over"' j.json
claim "limits as OpenMetrics" exits 1 run.loopmem --max total.peak_pss_bytes=1GiB --max 'pool(*).stall_s=1 h' \
	--openmetrics m.txt
peak=$("$loopmem" report -f json run.loopmem | sed -n '0,/"peak_pss_bytes"/s/.*"peak_pss_bytes": \([0-9]*\),/\1/p')
claim "with limit, figure and verdict" diff <(grep -v '^#' m.txt) - <<END
loopmem_budget_limit_bytes{key="total.peak_pss_bytes"} 1073741824
loopmem_budget_value_bytes{key="total.peak_pss_bytes"} $peak
loopmem_budget_over{key="total.peak_pss_bytes"} 1
loopmem_budget_over{key="pool(sanity,label=val_dl).stall_s"} 0
loopmem_budget_over{key="pool(train,label=train_dl).stall_s"} 0
loopmem_budget_over{key="pool(validate,label=val_dl).stall_s"} 0
END
claim "ended as it must be" test "$(tail -n 1 m.txt)" = "# EOF"
if command -v promtool >/dev/null; then
	claim "Prometheus accepts it" promtool check metrics <m.txt
else
	skip "Prometheus accepts it" "promtool is not installed"
fi
claim "code quality" grep -q '^\[' cq.json
if command -v xmllint >/dev/null; then
	claim "the XML is well-formed" xmllint --noout j.xml
else
	skip "the XML is well-formed" "xmllint is not installed"
fi
claim "an unreadable session is an error case" exits 3 none.loopmem --max total.peak_pss_bytes=1GiB --junit e.xml
claim "in the XML" grep -q '<error type="unreadable" message="cannot read none.loopmem' e.xml
claim "an output that cannot be written is 3" exits 3 run.loopmem --max total.peak_pss_bytes=100GiB --junit no/j.xml
claim "unless the check fails anyhow" exits 1 run.loopmem --max total.peak_pss_bytes=1GiB --junit no/j.xml

# ---- GitHub
export GITHUB_STEP_SUMMARY=$TEST_TMP/summary.md GITHUB_OUTPUT=$TEST_TMP/output.txt
claim "for GitHub" exits 1 run.loopmem --budget b.budget --ci github
claim "an annotation points at the line of the budget" \
	grep -q '^::error file=b.budget,line=2,title=loopmem%3A total.peak_pss_bytes over::26.4 GiB > 1.0 GiB' out
claim "outputs" grep -qx verdict=over output.txt
claim "the summary goes on with the story of the run" \
	grep -q '^\*\*idle-pool-retained.\*\* 16.4 GiB at 17:41' summary.md
claim "a summary" grep -q '^### loopmem check: over, 1 of 1 rules' summary.md
head -c 1000000 /dev/zero | tr '\0' x >summary.md
check run.loopmem --budget b.budget --ci github
claim "a summary that would be too large for the platform stays short" \
	test "$(stat -c %s summary.md)" -le 1001024
GITHUB_STEP_SUMMARY=$TEST_TMP/no/summary.md GITHUB_OUTPUT=
claim "a summary that cannot be written changes no exit code" exits 0 run.loopmem --budget c.budget --ci github
unset GITHUB_STEP_SUMMARY GITHUB_OUTPUT
claim "nothing of it without --ci" exits 1 run.loopmem --budget b.budget
claim "no annotation" test -z "$(grep '^::' out)"

end_of_claims
