#!/bin/bash
# The runner counts what happened, however a test ends.
. "$SRC/tests/lib/tap.sh"

make_test() { # make_test NAME: the body is read from stdin
	cat >"$TEST_TMP/$1.sh"
}
run() { # the last line the runner prints for these tests, and its status
	local file files=()
	for file in "$@"; do files+=("$TEST_TMP/$file.sh"); done
	result=$(TEST_TIMEOUT=${limit_s:-20} "$SRC/tests/run.sh" "${files[@]}" 2>&1)
	status=$?
	last=${result##*$'\n'}
}

make_test passes <<<'echo fine'
make_test fails <<<'echo "why it failed"; exit 1'
make_test skips <<<'echo "no such device"; exit 77'
make_test hangs <<<'sleep 30'
make_test tap <<<'echo "1..3"; echo "ok 1 - a"; echo "ok 2 - b # SKIP no b"; echo "ok 3 - c"'
make_test tap-fails <<<'echo "1..2"; echo "ok 1 - a"; echo "not ok 2 - b"; exit 1'
make_test tap-dies <<<'echo "1..2"; echo "ok 1 - a"; kill -9 $$'
make_test tap-stops <<<'echo "1..2"; echo "ok 1 - a"'
make_test environment <<<'test -d "$TEST_TMP" && test -d "$LOOPMEM_BUILD" && touch "$TEST_TMP/x"'

make_test alone <<<'test -z "${MAKEFLAGS:-}${MAKELEVEL:-}"'
MAKEFLAGS=-r MAKELEVEL=2 run alone
claim "a make that a test runs hears nothing of ours" test "$status,$last" = "0,1 passed, 0 failed"
make_test once <<<'mkdir "$SECOND_TRY" 2>/dev/null && exit 1; exit 0'
export SECOND_TRY=$TEST_TMP/tried
TEST_ATTEMPTS=2 run once fails
claim "a second try counts where it is allowed" test "$status,$last" = "1,1 passed, 1 failed"
claim "and the first failure is told" grep -q "^again .*once.sh: try 1 failed" <<<"$result"
export TEST_ATTEMPTS=1
run passes
claim "a silent test counts as one" test "$status,$last" = "0,1 passed, 0 failed"
run passes fails
claim "a failure is counted and fails the run" test "$status,$last" = "1,1 passed, 1 failed"
claim "the output of a failed test is shown" grep -q "why it failed" <<<"$result"
run passes skips
claim "77 is a skip" test "$status,$last" = "0,1 passed, 0 failed, 1 skipped"
claim "the reason of a skip is shown" grep -q "no such device" <<<"$result"
run skips
claim "a run of skips alone is no success" test "$status,$last" = "1,0 passed, 0 failed, 1 skipped"
limit_s=1 run passes hangs
claim "a test that hangs is stopped and failed" test "$status,$last" = "1,1 passed, 1 failed"

# Beside each other: each waits for a file that another one makes.
meets() { # meets NAME OTHER
	make_test "$1" <<<"touch '$TEST_TMP/$1'; for i in {1..1000}; do [ -e '$TEST_TMP/$2' ] && exit 0; sleep 0.01; done; exit 1"
}
meets left right
meets right left
TEST_JOBS=2 run left right
claim "two tests run at a time where that is asked for" test "$status,$last" = "0,2 passed, 0 failed"
make_test by-itself <<'END'
# alone: it looks at all the others
for other in first second; do [ -e "$HERE/$other-runs" ] && exit 1; done
exit 0
END
for name in first second; do
	make_test $name <<<'touch "$HERE/'$name'-runs"; sleep 0.3; rm "$HERE/'$name'-runs"'
done
export HERE=$TEST_TMP
TEST_JOBS=2 run first by-itself second
claim "a test that is marked so runs when nothing else does" test "$status,$last" = "0,3 passed, 0 failed"
TEST_JOBS=2 run by-itself
claim "and where all are marked, nothing is complained of" test "$result" = "ok   $TEST_TMP/by-itself.sh (1)
1 passed, 0 failed"
make_test interrupted <<<'grep -q "SigIgn:.*[0189]$" /proc/self/status'
TEST_JOBS=2 run interrupted passes
claim "what runs beside others hears an interrupt" test "$status,$last" = "0,2 passed, 0 failed"
rm -rf "$SECOND_TRY"
TEST_ATTEMPTS=2 TEST_JOBS=2 run once passes fails
claim "a second try comes last" test "$status,$last,$(grep -c '^again' <<<"$result")" = "1,2 passed, 1 failed,2"

run tap
claim "lines of TAP count one by one" test "$status,$last" = "0,2 passed, 0 failed, 1 skipped"
run tap-fails
claim "not ok is a failure" test "$status,$last" = "1,1 passed, 1 failed"
run tap-dies
claim "dying half-way is a failure" test "$status,$last" = "1,1 passed, 1 failed"
run tap-stops
claim "fewer results than planned is a failure" test "$status,$last" = "1,1 passed, 1 failed"
run environment environment
claim "each test has a directory of its own" test "$status,$last" = "0,2 passed, 0 failed"

end_of_claims
