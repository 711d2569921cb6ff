#!/bin/bash
# loopmem report: the text of the reference run, its manners, and sessions that are cut, damaged or foreign.
. "$SRC/tests/lib/tap.sh"

golden=$SRC/tests/golden
session=$TEST_TMP/ref.loopmem
utf8=$(locale -a | grep -iE '^(C|en_US)\.utf-?8$' | head -n 1)
make_session=$LOOPMEM_BUILD/tests/fixtures/reference_session

loopmem() { # stdout, stderr and status of the program
	out=$("$LOOPMEM_BUILD/loopmem" "$@" 2>"$TEST_TMP/err")
	status=$?
	err=$(<"$TEST_TMP/err")
}
"$make_session" "$session"

export LC_ALL=$utf8
if [ -n "$utf8" ]; then
	loopmem report "$session"
	claim "the report of the reference run" diff "$golden/report-reference.txt" - <<<"$out"
else
	skip "the report of the reference run" "no UTF-8 locale here"
fi
loopmem report --ascii "$session"
claim "--ascii prints ASCII only" test -z "$(LC_ALL=C grep -P '[^\x00-\x7f]' <<<"$out")"
claim "the report fits 60 lines" test "$(wc -l <<<"$out")" -le 60
claim "and 100 columns" test "$(awk '{ if (length > n) n = length } END { print n }' <<<"$out")" -le 100

export LC_ALL=C
loopmem report --width 60 "$session"
claim "a narrow report drops columns and says so" diff "$golden/report-reference-ascii-60.txt" - <<<"$out"
for width in 40 51 64 72 80 91; do
	loopmem report --width $width "$session"
	too_long=$(grep -v 'loopmem run' <<<"$out" | awk -v w=$width 'length > w')
	claim "nothing but commands is wider than $width columns" test -z "$too_long"
done

loopmem report -o "$TEST_TMP/a.txt" "$session"
claim "-o writes the text to a file" test "$status,$out,$(head -c 4 "$TEST_TMP/a.txt")" = "0,,Peak"
loopmem report -o "$TEST_TMP/a.json" "$session"
claim "-o FILE.json writes JSON" test "$(head -c 1 "$TEST_TMP/a.json")" = "{"
loopmem report -f json -o "$TEST_TMP/b.txt" "$session"
claim "-f wins over the ending" test "$(head -c 1 "$TEST_TMP/b.txt")" = "{"
loopmem report -o "$TEST_TMP/none/a.txt" "$session"
claim "an output that cannot be made is an error of the system" test "$status" -eq 1
claim "and is named" test "${err%%$'\n'*}" = \
	"loopmem report: cannot write $TEST_TMP/none/a.txt: No such file or directory"
"$LOOPMEM_BUILD/loopmem" report "$session" >/dev/full 2>"$TEST_TMP/err"
claim "a full disk is told" test "$?,$(head -n 1 "$TEST_TMP/err")" = \
	"1,loopmem report: cannot write the report: No space left on device"

loopmem report
claim "no file is usage" test "$status,${err%%$'\n'*}" = "2,loopmem report: no session given"
loopmem report -f xml "$session"
claim "an unknown format is usage and lists the known" \
	test "$status,${err%%$'\n'*}" = '2,loopmem report: no format "xml"; formats: text, markdown, html, json'
loopmem report -o "$TEST_TMP/a.xls" "$session"
claim "so is an ending that is no format" test "$status" -eq 2
loopmem report --width 12 "$session"
claim "so is a width that nothing fits" test "$status" -eq 2

loopmem report "$TEST_TMP/nosuch"
claim "a missing file is unreadable" test "$status" -eq 3
head -c 5000 /dev/urandom >"$TEST_TMP/noise"
loopmem report "$TEST_TMP/noise"
claim "a foreign file is unreadable" test "$status,${err%%(*}" = \
	"3,loopmem report: $TEST_TMP/noise is not a loopmem session "
"$make_session" --until 0 "$TEST_TMP/none.loopmem"
"${PYTHON:-python3}" -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute("delete from sample"); c.commit()' "$TEST_TMP/none.loopmem"
loopmem report "$TEST_TMP/none.loopmem"
claim "a session without samples has nothing to tell" test "$status,$err" = \
	"3,loopmem report: $TEST_TMP/none.loopmem holds no samples yet"
"$make_session" --until 400 "$TEST_TMP/open.loopmem"
loopmem report "$TEST_TMP/open.loopmem"
claim "a run that goes on is told as far as it went" grep -q '6:40, still running' <<<"$out"

cp "$session" "$TEST_TMP/damaged.loopmem"
truncate -s 5000000 "$TEST_TMP/damaged.loopmem"
loopmem report "$TEST_TMP/damaged.loopmem"
claim "a damaged session gives what can be read" test "$status,$(grep -c '^Peak       26.4 GiB' <<<"$out")" = 0,1
claim "and says so first" grep -q '^Damaged    the file is damaged' <<<"${out%%$'\n'*}"
head -c 60000 "$session" >"$TEST_TMP/head.loopmem"
loopmem sites "$TEST_TMP/head.loopmem"
claim "call sites that are lost are not called too few" test "$out" = "No call sites could be read: the file is damaged: its end is missing."
truncate -s 1500000 "$TEST_TMP/damaged.loopmem"
loopmem report "$TEST_TMP/damaged.loopmem"
claim "where no sample is left nothing is claimed" test "$status,$(grep -c 'unknown' <<<"$out")" = 0,3

cp "$session" "$TEST_TMP/second.loopmem"
loopmem report "$session" "$TEST_TMP/second.loopmem"
claim "two files are ranks: one sum, one row each" grep -q '52.8 GiB of 128 GiB RAM (41%), at 12:33: 2 ranks' <<<"$out"
claim "with a row for each" test "$(grep -c '^ *[01]    26.4' <<<"$out")" -eq 2
loopmem report "$session" "$session" "$TEST_TMP/second.loopmem"
claim "ranks that are alike fold" grep -q '^ranks 0-2, 26.4 to 26.4 GiB each$' <<<"$out"
loopmem report --full "$session" "$session" "$TEST_TMP/second.loopmem"
claim "--full unfolds them" test "$(grep -c '^ *[012]    26.4' <<<"$out")" -eq 3

"$make_session" --processes 16 --hours 1 "$TEST_TMP/long.loopmem"
loopmem report "$TEST_TMP/long.loopmem"
claim "many pools fold by stage" grep -q '\.\.\. 10 more validate pools\|\.\.\. 9 more validate pools' <<<"$out"
claim "and the report still fits 60 lines" test "$(wc -l <<<"$out")" -le 60
loopmem report --full "$TEST_TMP/long.loopmem"
claim "--full lists every pool" test "$(grep -c '^  \(train\|validate\) #' <<<"$out")" -eq 20

end_of_claims
