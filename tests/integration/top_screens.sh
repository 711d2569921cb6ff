#!/bin/bash
# The screens of `loopmem top` as text, from the reference session, against tests/golden/screens/.
# After a wanted change: UPDATE=1 make check-now, then look at the difference.
. "$SRC/tests/lib/tap.sh"

golden=$SRC/tests/golden/screens
ended=$TEST_TMP/run-0412.loopmem
live=$TEST_TMP/live.loopmem
fixture=$LOOPMEM_BUILD/tests/fixtures/reference_session
export LC_ALL=C.UTF-8 TERM=xterm-256color
unset NO_COLOR

"$fixture" --sites "$TEST_TMP/sites.loopmem" && "$fixture" "$ended" && "$fixture" --until 718 "$live" || exit 1

screen() { # screen NAME FILE OPTION...: compares with (or writes) the golden NAME
	local name=$1
	shift
	(cd "$TEST_TMP" && "$LOOPMEM_BUILD/loopmem" top --dump "$@") >"$TEST_TMP/$name" 2>&1
	[[ ${UPDATE:-} ]] && cp "$TEST_TMP/$name" "$golden/$name.txt"
	claim "screen $name" diff -u "$golden/$name.txt" "$TEST_TMP/$name"
}

for size in 80x24 120x40; do
	at=(--width "${size%x*}" --height "${size#*x}")
	for name in overview pools processes sites findings events help; do
		screen "$name-$size" run-0412.loopmem --screen $name "${at[@]}"
	done
	screen "sites-listed-$size" sites.loopmem --screen sites "${at[@]}"
	screen "live-overview-$size" live.loopmem "${at[@]}"
	screen "live-processes-$size" live.loopmem --screen processes "${at[@]}"
	screen "ascii-$size" live.loopmem --ascii "${at[@]}"
	screen "braille-$size" run-0412.loopmem --glyphs braille "${at[@]}"
done

screen sites-growing-140x30 sites.loopmem --screen sites --width 140 --height 30 --at 9:00

# a run of MiB under a limit of GiB: no figure stands under the other's unit
cp "$TEST_TMP/sites.loopmem" "$TEST_TMP/small.loopmem"
"$PYTHON" - "$TEST_TMP/small.loopmem" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
    for column in (row[1] for row in db.execute(f"PRAGMA table_info({table})").fetchall()):
        if column.endswith("bytes") and column != "limit_bytes":
            db.execute(f"UPDATE {table} SET {column} = {column} / 64")
db.commit()
PY
for name in overview pools processes sites; do
	screen "small-$name-80x24" small.loopmem --screen $name --width 80 --height 24
done
screen small-pools-120x40 small.loopmem --screen pools --width 120 --height 40

# narrow and low: every step of the degrade rules
for size in 39x9 40x10 40x24 56x16 60x20 64x18 79x24 100x14 112x19 200x60; do
	screen "overview-$size" run-0412.loopmem --width "${size%x*}" --height "${size#*x}"
done
for name in pools processes findings events; do
	screen "$name-40x10" run-0412.loopmem --screen $name --width 40 --height 10
done

# moments: before anything, in the middle of a pool's start, at the end
screen "overview-start-80x24" run-0412.loopmem --at start
screen "overview-0-20-80x24" run-0412.loopmem --at 0:20
screen "overview-end-80x24" run-0412.loopmem --at end

for size in 80x24 120x40; do
	wide=$(wc -L "$golden"/*-$size.txt | awk -v most=${size%x*} '$1 > most')
	claim "no line is wider than the screen of $size" test -z "$wide"
	lines=$(wc -l "$golden"/*-$size.txt | awk -v all=${size#*x} '$1 != all && $2 != "total"')
	claim "every screen of $size has all its lines" test -z "$lines"
done
bad=$(grep -lP '[^\x00-\x7F]' "$golden"/ascii-*.txt)
claim "ASCII screens hold ASCII alone" test -z "$bad"

(cd "$TEST_TMP" && "$LOOPMEM_BUILD/loopmem" top --plain run-0412.loopmem) >"$TEST_TMP/plain"
[[ ${UPDATE:-} ]] && cp "$TEST_TMP/plain" "$golden/plain.txt"
claim "line by line" diff -u "$golden/plain.txt" "$TEST_TMP/plain"

LC_ALL=C "$LOOPMEM_BUILD/loopmem" top --dump "$live" >"$TEST_TMP/c"
claim "a locale that is not UTF-8 gives the ASCII screen" \
	diff <(tail -n +2 "$golden/ascii-80x24.txt") <(tail -n +2 "$TEST_TMP/c")

refusal=$("$LOOPMEM_BUILD/loopmem" top -1 --at 9:59:59 "$TEST_TMP/run-0412.loopmem" 2>&1)
claim "a moment beyond the end is refused with where the end is" test "$?" = 2
claim "and says it in the first line" grep -qE '^loopmem top: no moment "9:59:59" in .*, which ends at [0-9]+:[0-9]{2}$' <<<"$refusal"

end_of_claims
