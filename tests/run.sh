#!/bin/bash
# run.sh TEST...: runs each test and counts the results of all of them together.
# A test is an executable, or a .sh or .py file. Lines of TAP on its stdout count one by one
# (`ok`, `not ok`, `# SKIP why`); a test without any counts as one, 77 means skipped and its last
# line is the reason. The slowest tests come at the end; the last line is `N passed, N failed[, N skipped]`.
# TEST_TIMEOUT: seconds for each; TEST_ATTEMPTS: a failed test is run again, alone, until it had so many.
# TEST_JOBS: so many at a time. A test that has `# alone: why` in its first lines runs when nothing else does.
# Environment of a test: LOOPMEM_BUILD, VENV, PYTHON, TEST_TMP (fresh, removed), SRC (the tree).
set -u
SRC=$(cd "$(dirname "$0")/.." && pwd)
export SRC LOOPMEM_BUILD=${LOOPMEM_BUILD:-$SRC/build}
export VENV=${VENV:-$LOOPMEM_BUILD/venv} PYTHON=${PYTHON:-python3}
export CMOCKA_MESSAGE_OUTPUT=TAP PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # a make that a test runs is not a part of ours
limit_s=${TEST_TIMEOUT:-300}
attempts=${TEST_ATTEMPTS:-1} # CI has two, on machines that others load as well; a first failure is shown
jobs=${TEST_JOBS:-1}
passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
declare -A room_of=() # by the pid of a test that runs: its directory
later=()             # rooms of tests that run when nothing else does: marked so, or failed and tried again

# shellcheck disable=SC2317 # called by the trap
leave() {
	local pid
	for pid in "${!room_of[@]}"; do # `timeout` ends what it started
		# shellcheck disable=SC2046
		kill $(<"/proc/$pid/task/$pid/children") "$pid" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A room is the directory of one test: test (its file), out, err, status, times (wall, user and system seconds), tmp.
make_room() { # make_room NUMBER FILE
	room=$scratch/$1
	mkdir "$room"
	echo "$2" >"$room/test"
}

run_one() { # run_one ROOM
	local room=$1 test TIMEFORMAT='%R %U %S'
	test=$(<"$room/test")
	local -a command=("$test")
	case $test in
	*.sh) command=(bash "$test") ;;
	*/tests/python/*.py | tests/python/*.py) command=("$VENV/bin/python" "$test") ;;
	*.py) command=("$PYTHON" "$test") ;;
	esac
	export TEST_TMP=$room/tmp
	mkdir "$TEST_TMP"
	{ time timeout -k 10 "$limit_s" "${command[@]}" >"$room/out" 2>"$room/err" </dev/null; } 2>"$room/times"
	echo $? >"$room/status"
	rm -rf "$TEST_TMP"
}

show_output() { # show_output ROOM
	sed 's/^/    /' "$1/out" "$1/err"
}

# One line per TAP result: pass, fail or skip, a tab, its name or reason.
tap_results() { # tap_results ROOM
	sed -nE 's/^(not )?ok\b.*# *SKIP *(.*)$/skip\t\2/p; t
		s/^ok *[0-9]* *(- *)?(.*)$/pass\t\2/p; t
		s/^not ok *[0-9]* *(- *)?(.*)$/fail\t\2/p' "$1/out"
}

count() { # count ROOM
	local room=$1 name status results ok bad skip plan
	name=$(<"$room/test") status=$(<"$room/status")
	name=${name#"$SRC"/}
	results=$(tap_results "$room")
	if [[ -z $results ]]; then
		case $status in
		0) ok=1 bad=0 skip=0 ;;
		77) ok=0 bad=0 skip=1 results=$'skip\t'$(tail -n 1 "$room/out") ;;
		*) ok=0 bad=1 skip=0 ;;
		esac
	else
		ok=$(grep -c '^pass' <<<"$results") bad=$(grep -c '^fail' <<<"$results")
		skip=$(grep -c '^skip' <<<"$results")
		plan=$(sed -nE 's/^1\.\.([0-9]+).*/\1/p' "$room/out" | head -n 1)
		# died half-way, or fewer results than announced: that is a failure too
		((bad == 0)) && { ((status)) || { [[ -n $plan ]] && ((plan != ok + skip)); }; } && bad=1
	fi
	((passed += ok, failed += bad, skipped += skip))
	if ((bad)); then
		echo "FAIL $name (status $status$( ((status == 124)) && echo ", stopped after $limit_s s"))"
		show_output "$room"
	else
		echo "ok   $name ($ok)"
	fi
	sed -nE "s|^skip\t(.*)|skip $name: \1|p" <<<"$results"
	echo "$(<"$room/times") $name" >>"$scratch/times"
}

# Counts the test of a room, unless it may be tried again.
finish() { # finish ROOM ATTEMPT: fails when it is to be tried again
	local room=$1 status name
	status=$(<"$room/status") name=$(<"$room/test")
	if ((status == 0 || status == 77 || $2 >= attempts)); then
		count "$room"
		return 0
	fi
	echo "again ${name#"$SRC"/}: try $2 failed"
	show_output "$room" | grep -A8 -E 'not ok|Error' | head -n 20
	return 1
}

finish_next() { # waits for one of those that run
	local pid
	wait -n -p pid "${!room_of[@]}"
	finish "${room_of[$pid]}" 1 || later+=("${room_of[$pid]}")
	unset "room_of[$pid]"
}

number=0
for test in "$@"; do
	make_room $((number += 1)) "$test"
	if ((jobs > 1)) && head -n 20 "$test" | grep -qaE '^(#|//|/\*| \*) alone: '; then
		later+=("$room")
		continue
	fi
	run_one "$room" &
	room_of[$!]=$room
	((${#room_of[@]} < jobs)) || finish_next
done
while ((${#room_of[@]})); do finish_next; done
for room in "${later[@]}"; do
	attempt=1
	[[ -e $room/status ]] && attempt=2
	for (( ; ; attempt++)); do
		run_one "$room"
		finish "$room" $attempt && break
	done
done

((passed + failed)) || echo "no test ran"
if (($# > 10)); then
	echo "slowest: seconds, of them on a processor"
	sort -rn "$scratch/times" | head -n 10 | awk '{ printf "%7.1f %7.1f  %s\n", $1, $2 + $3, $4 }'
fi
line="$passed passed, $failed failed"
((skipped)) && line+=", $skipped skipped"
echo "$line"
((failed == 0 && passed > 0))
