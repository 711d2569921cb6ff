#!/bin/bash
# run.sh TEST...: runs each test and counts the results of all of them together.
# A test is an executable, or a .sh or .py file. Lines of TAP on its stdout count one by one
# (`ok`, `not ok`, `# SKIP why`); a test without any counts as one, 77 means skipped and its last
# line is the reason. The last line printed is `N passed, N failed[, N skipped]`.
# TEST_TIMEOUT: seconds for each; TEST_ATTEMPTS: a failed test is run again until it had so many.
# Environment of a test: LOOPMEM_BUILD, VENV, PYTHON, TEST_TMP (fresh, removed), SRC (the tree).
set -u
SRC=$(cd "$(dirname "$0")/.." && pwd)
export SRC LOOPMEM_BUILD=${LOOPMEM_BUILD:-$SRC/build}
export VENV=${VENV:-$LOOPMEM_BUILD/venv} PYTHON=${PYTHON:-python3}
export CMOCKA_MESSAGE_OUTPUT=TAP PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # a make that a test runs is not a part of ours
limit_s=${TEST_TIMEOUT:-300}
attempts=${TEST_ATTEMPTS:-1} # CI has two, on machines that others load as well; a first failure is shown
passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run_one() { # run_one FILE: output in $scratch/out, returns its status
	local -a command=("$1")
	case $1 in
	*.sh) command=(bash "$1") ;;
	*/tests/python/*.py | tests/python/*.py) command=("$VENV/bin/python" "$1") ;;
	*.py) command=("$PYTHON" "$1") ;;
	esac
	export TEST_TMP=$scratch/tmp
	mkdir "$TEST_TMP"
	timeout -k 10 "$limit_s" "${command[@]}" >"$scratch/out" 2>"$scratch/err" </dev/null
	local status=$?
	rm -rf "$TEST_TMP"
	return $status
}

show_output() {
	sed 's/^/    /' "$scratch/out" "$scratch/err"
}

# One line per TAP result: pass, fail or skip, a tab, its name or reason.
tap_results() {
	sed -nE 's/^(not )?ok\b.*# *SKIP *(.*)$/skip\t\2/p; t
		s/^ok *[0-9]* *(- *)?(.*)$/pass\t\2/p; t
		s/^not ok *[0-9]* *(- *)?(.*)$/fail\t\2/p' "$scratch/out"
}

count() { # count NAME STATUS
	local name=$1 status=$2 results ok bad skip plan
	results=$(tap_results)
	if [[ -z $results ]]; then
		case $status in
		0) ok=1 bad=0 skip=0 ;;
		77) ok=0 bad=0 skip=1 results=$'skip\t'$(tail -n 1 "$scratch/out") ;;
		*) ok=0 bad=1 skip=0 ;;
		esac
	else
		ok=$(grep -c '^pass' <<<"$results") bad=$(grep -c '^fail' <<<"$results")
		skip=$(grep -c '^skip' <<<"$results")
		plan=$(sed -nE 's/^1\.\.([0-9]+).*/\1/p' "$scratch/out" | head -n 1)
		# died half-way, or fewer results than announced: that is a failure too
		((bad == 0)) && { ((status)) || { [[ -n $plan ]] && ((plan != ok + skip)); }; } && bad=1
	fi
	((passed += ok, failed += bad, skipped += skip))
	if ((bad)); then
		echo "FAIL $name (status $status$( ((status == 124)) && echo ", stopped after $limit_s s"))"
		show_output
	else
		echo "ok   $name ($ok)"
	fi
	sed -nE "s|^skip\t(.*)|skip $name: \1|p" <<<"$results"
}

for test in "$@"; do
	for ((attempt = 1; ; attempt++)); do
		run_one "$test"
		status=$?
		((status == 0 || status == 77 || attempt >= attempts)) && break
		echo "again ${test#"$SRC"/}: try $attempt failed"
		show_output | grep -A8 -E 'not ok|Error' | head -n 20
	done
	count "${test#"$SRC"/}" "$status"
done

((passed + failed)) || echo "no test ran"
line="$passed passed, $failed failed"
((skipped)) && line+=", $skipped skipped"
echo "$line"
((failed == 0 && passed > 0))
