#!/bin/bash
# Every header compiles alone; the public one also as C++ and as C99.
. "$SRC/tests/lib/tap.sh"
cd "$SRC" || exit 1
warn=(-Wall -Wextra -Werror -fsyntax-only)

for header in $(find inject profiler reference tui -name '*.h' 2>/dev/null | sort); do
	claim "$header compiles alone" \
		"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -I. "-I$LOOPMEM_BUILD" "${warn[@]}" -x c "$header"
done
claim "the public header compiles as C++" g++ -std=c++11 "${warn[@]}" -x c++ inject/loopmem.h
claim "the public header compiles as C99" \
	"${CC:-gcc}" -std=c99 -D_DEFAULT_SOURCE "${warn[@]}" -pedantic -x c inject/loopmem.h

end_of_claims
