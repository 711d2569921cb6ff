#!/bin/bash
# Sources are as clang-format leaves them, scripts as shellcheck likes them.
. "$SRC/tests/lib/tap.sh"
cd "$SRC" || exit 1

mapfile -t sources < <(find inject profiler reference tests tui -name '*.[ch]' 2>/dev/null | sort)
claim "clang-format would change nothing" clang-format --dry-run -Werror "${sources[@]}"

mapfile -t scripts < <(find mk tests -name '*.sh' | sort)
claim "shellcheck finds nothing" shellcheck -S warning .ci/run "${scripts[@]}"
claim "shellcheck finds nothing in the completion" \
	shellcheck -S warning "$LOOPMEM_BUILD/completion/loopmem"

end_of_claims
