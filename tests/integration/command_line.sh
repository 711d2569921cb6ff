#!/bin/bash
# The command line: help, usage errors, suggestions.
. "$SRC/tests/lib/tap.sh"

loopmem() { # stdout, stderr and status of the program
	out=$("$LOOPMEM_BUILD/loopmem" "$@" 2>"$TEST_TMP/err")
	status=$?
	err=$(<"$TEST_TMP/err")
}

loopmem
claim "without a command the list goes to stderr, status 2" \
	test "$status,$out,${err%% *}" = "2,,usage:"

loopmem --help
claim "--help lists the commands on stdout" test "$status,$err,${out%% *}" = "0,,usage:"
listed=$(sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' <<<"$out")
known=$(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$SRC/profiler/commands.def")
claim "every command is listed" test "$(sort <<<"$listed")" = "$(sort <<<"$known")"

loopmem hepl
claim "an unknown command is usage, with a suggestion" \
	test "$status,$out,${err%%$'\n'*}" = '2,,loopmem: no command "hepl"; did you mean "help"?'

loopmem help --hlep
claim "an unknown option is usage, with a suggestion" \
	test "$status,$out,${err%%$'\n'*}" = '2,,loopmem help: no option "--hlep"; did you mean "--help"?'

loopmem help --help=3
claim "a value for a flag is usage" \
	test "$status,${err%%$'\n'*}" = '2,loopmem help: --help takes no value'

for command in $known; do
	loopmem "$command" --usage
	synopsis=$out
	claim "$command --usage starts with its name" test "${synopsis%%"$command"*}" = "loopmem "
	loopmem "$command" --help
	claim "$command --help starts with its synopsis" \
		test "$status,${out:0:$((7 + ${#synopsis}))}" = "0,usage: $synopsis"
	claim "$command --help is what help $command prints" \
		test "$out" = "$("$LOOPMEM_BUILD/loopmem" help "$command")"
	claim "$command --help has no remark on letters and words" test "${out/Mandatory/}" = "$out"
	loopmem "$command" --no-such-option-at-all
	claim "$command refuses an unknown option with status 2" \
		test "$status,${err%%$'\n'*}" = "2,loopmem $command: no option \"--no-such-option-at-all\""
done

# the words of -f in the option table against the table of formats, which the message lists
for command in report export diff; do
	words=$("$LOOPMEM_BUILD/loopmem" __options | awk -F '\t' -v c="$command" '$1 == c && $3 == "-f" { print $4 }')
	loopmem "$command" -f nothing x.loopmem
	claim "$command names its formats when it does not know one" test "$status,${err%%$'\n'*}" = \
		"2,loopmem $command: no format \"nothing\"; formats: ${words//|/, }"
done
for command in report export; do
	loopmem "$command" -o "$TEST_TMP/x.nothing" x.loopmem
	claim "$command writes no file whose ending it does not know" \
		test "$status,${err%%;*}" = "2,loopmem $command: no format \"nothing\""
done

findings=$(sed -n 's/^FINDING([a-z_]*, "\([a-z-]*\)".*/\1/p' "$SRC/profiler/model/findings.def")
loopmem help
claim "help lists every finding" test "$(sed -n 's/^  \([a-z]*-[a-z-]*\) .*/\1/p' <<<"$out")" = "$findings"
for finding in $findings; do
	loopmem help "$finding"
	claim "help $finding prints its page" test "$status,$err,${out%%$'\n'*}" = "0,,$finding"
	claim "the page of $finding says when it is reported and what to do" \
		grep -qzE 'Reported .*What to do' <<<"$out"
	claim "the page of $finding fits 80 columns, without marks" \
		test -z "$(grep -E '^.{81}|[*][*]|[`]|^[|]' <<<"$out")"
done
loopmem help idle-pool-retaned
claim "an unknown topic is usage, with the nearest finding" test "$status,$out,${err%%$'\n'*}" = \
	'2,,loopmem help: no topic "idle-pool-retaned"; did you mean "idle-pool-retained"?'

version=$(sed -n 's/^#define LOOPMEM_VERSION "\(.*\)"/\1/p' "$SRC/profiler/version.h")
loopmem --version
claim "--version begins with the version" test "${out%% (*}" = "loopmem $version"

end_of_claims
