#!/bin/bash
# loopmem-fit from outside: options, output, exit status, and no process left behind.
. "$SRC/tests/lib/tap.sh"
fit=$LOOPMEM_BUILD/loopmem-fit
cd "$TEST_TMP" || exit 1

children() { # children PID: the pids of its children
	cat "/proc/$1/task/$1/children"
}
wait_until() { # wait_until SECONDS COMMAND...: 0 as soon as the command succeeds
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}
workers_of() { # workers_of PID COUNT: 0 when it has that many children
	[[ $(children "$1" | wc -w) -eq $2 ]]
}
none_alive() {
	local pid
	for pid; do
		# a dead process may wait for whoever inherited it
		grep -q '^State:.*[RSDT] ' "/proc/$pid/status" 2>/dev/null && return 1
	done
	true
}
losses() { # the figures of a result, bit for bit
	grep -o '"hex": "[^"]*"' "$1"
}

"$fit" >out 2>err
claim "it prints nothing that was not asked for" test ! -s out -a ! -s err

"$fit" --json=old.json --order old --test --predict --val-loaders 2
"$fit" --json=new.json --order new --test --predict --val-loaders 2
claim "the result is JSON with every figure" "$PYTHON" - <<-'PY'
	import json, math
	old, new = (json.load(open(f)) for f in ("old.json", "new.json"))
	assert old["habits"] == ["validate-inside", "keep-validation", "build-before-drop", "keep-sanity"]
	assert new["habits"] == [] and new["steps"] == 3 * 32
	stages = [r["stage"] for r in new["results"]]
	assert stages == ["sanity"] * 2 + ["train", "validate", "validate"] * 3 + ["test", "predict"], stages
	assert [r["epoch"] for r in new["results"] if r["stage"] == "train"] == [0, 1, 2]
	for r in new["results"]:
	    assert math.isclose(float.fromhex(r["hex"]), r["value"], rel_tol=1e-5)
PY
claim "the losses of both orders are the same to the bit" \
	cmp <(losses old.json) <(losses new.json)
"$fit" --seed 2 --json=other.json --order new --test --predict --val-loaders 2
claim "another seed gives other losses" \
	test "$(losses other.json)" != "$(losses new.json)"

"$fit" --json --order new --keep-sanity --validate-inside --no-validate-inside >switched.json
claim "each habit has a switch, the later option wins" \
	grep -q '"habits": \["keep-sanity"\]' switched.json

"$fit" --progress=here --epochs 2 2>err
claim "progress is lines where there is no terminal" \
	test "$(cat err)" = $'here, epoch 1 of 2\nhere, epoch 2 of 2'

while read -r -a wrong; do
	"$fit" "${wrong[@]}" >out 2>err
	claim "refused: ${wrong[*]}" test $? -eq 2 -a ! -s out -a -s err
done <<-'END'
	--order sideways
	--epochs 0
	--epochs -1
	--epochs 1.5
	--epochs 3x
	--workers 257
	--batch-size 0
	--prefetch 0
	--limit-train 0
	--limit-train 1.5
	--limit-val 0.0
	--val-check-interval 0
	--val-check-interval 33
	--check-val-every-n-epoch 0
	--persistent --workers 0 --val-workers 0
	--count-references
	--drop-last --batch-size 600
	--cache-mib nan
	--item-delay inf
	--item-delay -1
	--unknown
	stray
END

"$fit" --item-delay 20 &
owner=$!
claim "two workers train" wait_until 10 workers_of $owner 2
read -r -a workers < <(children $owner)
kill -9 $owner
wait $owner 2>/dev/null
claim "workers end with an owner that was killed" wait_until 3 none_alive "${workers[@]}"

"$fit" --item-delay 20 2>err &
owner=$!
wait_until 10 workers_of $owner 2
read -r victim other < <(children $owner)
kill -9 "$victim"
wait $owner
claim "a killed worker fails the training with status 1" test $? -eq 1
claim "and is named with its pid and signal" \
	grep -qE "^loopmem-fit: worker [01] \(pid $victim\) was killed by signal 9 \(Killed\)$" err
claim "and the other worker ends" none_alive "$other"

"$fit" --json=/nowhere/result.json 2>err
claim "a result that cannot be written is a failure" test $? -eq 1
claim "and the file is named" grep -q '^loopmem-fit: /nowhere/result.json: No such file' err

shim=$LOOPMEM_BUILD/libloopmem.so
if [[ -e $shim ]]; then
	LD_PRELOAD=$shim LOOPMEM_COLLECT=0 "$fit" --json=under.json --test --predict --val-loaders 2 \
		>out 2>err
	claim "the shim changes no figure and no output" \
		test "$(losses under.json)" = "$(losses old.json)" -a ! -s out -a ! -s err
else
	skip "the shim changes no figure and no output" "no libloopmem.so was built"
fi

end_of_claims
