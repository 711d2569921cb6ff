#!/bin/bash
# make install: what lies where, and that it runs from there.
. "$SRC/tests/lib/tap.sh"

make -s -j1 -C "$SRC" O="$LOOPMEM_BUILD" DESTDIR="$TEST_TMP" PREFIX=/usr install >/dev/null 2>"$TEST_TMP/err"
claim "make install succeeds" test $? -eq 0

usr=$TEST_TMP/usr
claim "the installed program runs" "$usr/bin/loopmem" --version
claim "every page of docs/man is installed" diff \
	<(cd "$SRC/docs/man" && printf '%s\n' *.in | sed 's/\.in$//') <(ls "$usr/share/man/man1")
claim "the completion is installed" test -f "$usr/share/bash-completion/completions/loopmem"
claim "the public header is installed" cmp "$SRC/inject/loopmem.h" "$usr/include/loopmem.h"
for program in "$LOOPMEM_BUILD"/loopmem-*; do
	[ -x "$program" ] || continue
	claim "${program##*/} is installed" test -x "$usr/bin/${program##*/}"
done
if [ -e "$LOOPMEM_BUILD/libloopmem.so" ]; then
	claim "the shim is private and not executable" \
		test "$(stat -c %a "$usr/lib/loopmem/libloopmem.so")" = 644
fi
stray=$(find "$TEST_TMP" -type f -not -path "$usr/*" -not -name err)
claim "nothing lies outside of the prefix" test -z "$stray"

end_of_claims
