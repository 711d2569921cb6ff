#!/bin/bash
# make install: what lies where, and that it runs from there.
. "$SRC/tests/lib/tap.sh"

# The folder is named as it was when it was built: it stands in the flags, and other flags mean everything anew.
install_under() { # install_under DESTDIR PREFIX
	make -s -j1 -C "$SRC" O="${LOOPMEM_BUILD#"$SRC"/}" DESTDIR="$1" PREFIX="$2" install >"$TEST_TMP/out" 2>"$TEST_TMP/err"
}
install_under "$TEST_TMP" /usr
claim "make install succeeds" test $? -eq 0
claim "and builds nothing anew" test "$(awk '$1 != "INSTALL"' "$TEST_TMP/out")" = ""

usr=$TEST_TMP/usr
claim "the installed program runs" "$usr/bin/loopmem" --version
claim "every page of docs/man is installed" diff \
	<(cd "$SRC/docs/man" && printf '%s\n' *.in | sed 's/\.in$//') <(ls "$usr/share/man/man1")
claim "the bash completion is installed" test -f "$usr/share/bash-completion/completions/loopmem"
claim "the zsh completion is installed" test -f "$usr/share/zsh/site-functions/_loopmem"
claim "the fish completion is installed" test -f "$usr/share/fish/vendor_completions.d/loopmem.fish"
claim "the public header is installed" cmp "$SRC/inject/loopmem.h" "$usr/include/loopmem.h"
claim "the Python package is installed" \
	diff -r -x __pycache__ "$SRC/python/loopmem" "$usr/share/loopmem/python/loopmem"
claim "it can be built from there" test -f "$usr/share/loopmem/python/wheel_backend.py"
for program in "$LOOPMEM_BUILD"/loopmem-*; do
	[ -x "$program" ] || continue
	claim "${program##*/} is installed" test -x "$usr/bin/${program##*/}"
done
if [ -e "$LOOPMEM_BUILD/libloopmem.so" ]; then
	claim "the shim is private and not executable" \
		test "$(stat -c %a "$usr/lib/loopmem/libloopmem.so")" = 644
fi
stray=$(find "$TEST_TMP" -type f -not -path "$usr/*" -not -name err -not -name out)
claim "nothing lies outside of the prefix" test -z "$stray"

blank="/a prefix/with 'marks and: more"
install_under "$TEST_TMP/dest dir" "$blank"
claim "a prefix may hold blanks, quotes and colons" test $? -eq 0
placed=$(cd "$TEST_TMP/dest dir$blank" 2>/dev/null && find . -type f | sort)
claim "everything lies there as elsewhere" diff <(cd "$usr" && find . -type f | sort) - <<<"$placed"
if [ -e "$LOOPMEM_BUILD/libloopmem.so" ]; then
	"$TEST_TMP/dest dir$blank/bin/loopmem" run -o "$TEST_TMP/run.loopmem" -- "$LOOPMEM_BUILD/loopmem-fit" \
		--epochs=1 >/dev/null 2>"$TEST_TMP/err"
	claim "it profiles from there, with the shim" test "$(
		"$LOOPMEM_BUILD/loopmem" export -f csv --table=owners "$TEST_TMP/run.loopmem" | awk -F, '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i == "instrumented") c = i } NR == 2 { print $c }')" = true
fi

end_of_claims
