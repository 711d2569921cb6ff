#!/bin/bash
# Instructions that the shim adds to a pair of malloc and free, counted by callgrind: the slope over
# the number of pairs, so start-up does not count. Fails when the budget is exceeded.
# Environment: LOOPMEM_BUILD.
set -eu
pairs=$LOOPMEM_BUILD/tests/bench/pairs
shim=$LOOPMEM_BUILD/libloopmem.so
budget=45
few=100000 many=300000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

count() { # count PAIRS MODE: instructions of all processes together
	valgrind --tool=callgrind --callgrind-out-file="$scratch/out.%p" "$pairs" "$1" "$2" 2>&1 |
		awk '/Collected/ { sum += $NF } END { print sum }'
	rm -f "$scratch"/out.*
}
slope() { # slope MODE: instructions a pair
	local low high
	low=$(count $few "$1") high=$(count $many "$1")
	echo $(((high - low + (many - few) / 2) / (many - few)))
}
with_shim() {
	LOOPMEM_DIR=$scratch LD_PRELOAD=${3:+$3:}$shim${2:+:$2} slope "$1"
}

over=0
row() { # row WHAT BARE SHIM [BUDGET]
	printf '%-34s %6d %6d %+6d   %s\n' "$1" "$2" "$3" $(($3 - $2)) "${4:+budget +$4}"
	[ -z "${4:-}" ] || [ $(($3 - $2)) -le "$4" ] || over=1
}

printf '%-34s %6s %6s %6s\n' 'instructions per malloc+free pair' bare shim added
row 'a process started by exec' "$(slope plain)" "$(with_shim plain)" $budget
row 'the child of a fork' "$(slope forked)" "$(with_shim forked)" $budget
row 'the child, 65536 blocks in turn' "$(slope forked-many)" "$(with_shim forked-many)"
for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
	library=$(find /usr/lib -name "$allocator" -print -quit)
	[ -n "$library" ] || continue
	row "exec, ${allocator%%.*}" "$(LD_PRELOAD=$library slope plain)" "$(with_shim plain "$library")"
done
exit $over
