#!/bin/bash
# loopmem diff: a run against itself, against a cut one, as JSON, and what is refused.
. "$SRC/tests/lib/tap.sh"

make_session=$LOOPMEM_BUILD/tests/fixtures/reference_session
base=$TEST_TMP/base.loopmem head=$TEST_TMP/head.loopmem
"$make_session" "$base"
"$make_session" --until 700 "$head"

loopmem() { # stdout, stderr and status of the program
	out=$("$LOOPMEM_BUILD/loopmem" "$@" 2>"$TEST_TMP/err")
	status=$?
	err=$(<"$TEST_TMP/err")
}

loopmem diff "$base" "$base"
claim "a run is the same as itself" grep -q '^Verdict    the same: ' <<<"$out"
claim "and what it was advised still stands" grep -q 'still: idle-pool-retained' <<<"$out"
claim "the exit status is 0" test "$status,$err" = "0,"

loopmem diff "$base" "$head"
claim "peaks stand in the first line" grep -q '^Peak       26.4 -> 26.0 GiB   -0.4 GiB' <<<"$out"
claim "the time is told beside the verdict" grep -q 'time shorter (18:51 -> 11:' <<<"$out"
claim "a star marks figures that changed and its own meaning, nothing else" test "$(tr -cd '*' <<<"$out" | wc -c)" = \
	"$(grep -c '^\* ' <<<"$out")"
claim "its meaning is told" grep -q '^\* changed by more than the noise and 2 % of the peak' <<<"$out"
claim "nothing is wider than 120 columns" test "$(awk '{ if (length > n) n = length } END { print n }' <<<"$out")" -le 120

loopmem diff -f json "$base" "$head"
claim "JSON has schema 1 and both figures of the peak" python3 -c '
import json, sys
d = json.load(sys.stdin)
f = d["figures"]["peak_pss_bytes"]
assert d["schema"] == 1 and f["head"] - f["base"] == f["change"] < 0
assert [(p["stage"], p["epoch"]) for p in d["pools"]][:3] == [("sanity", None), ("train", 0), ("validate", 0)]
assert d["pools"][-1]["head"] is None' <<<"$out"

loopmem diff "$base"
claim "one session is a usage error" test "$status" = 2
loopmem diff "$base" "$base" "$base"
claim "three are too" test "$status" = 2
loopmem diff -f yaml "$base" "$base"
claim "an unknown format names the known ones" grep -q 'formats: text, json' <<<"$err"
loopmem diff "$base" "$TEST_TMP/none.loopmem"
claim "a missing session is exit 3 with its name" test "$status,$(grep -c none.loopmem <<<"$err")" = "3,1"
end_of_claims
