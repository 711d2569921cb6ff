#!/bin/bash
# Man pages and completion say what the program says of itself.
. "$SRC/tests/lib/tap.sh"

loopmem=$LOOPMEM_BUILD/loopmem
commands=$("$loopmem" __options | awk -F '\t' '$5 == "command" { print $1 }' | sort)
pages=$(cd "$SRC/docs/man" && printf '%s\n' loopmem-*.1.in | sed 's/loopmem-//; s/\.1\.in//' |
	grep -vx fit | sort)
claim "every command has a man page and every page a command" diff <(echo "$commands") <(echo "$pages")

section() { # section PAGE TITLE: its text, without markup
	awk -v title=".SH $2" '$0 == title { inside = 1; next } /^\.SH/ { inside = 0 } inside' "$1" |
		sed -E -e '/^\.(nf|fi|TP)$/d' -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e 's/\\&//g' -e 's/\\e/\\/g'
}

for command in $commands; do
	page=$LOOPMEM_BUILD/man/loopmem-$command.1
	claim "SYNOPSIS of $command is its --usage" \
		diff <(section "$page" SYNOPSIS) <("$loopmem" "$command" --usage)
	claim "the page of $command explains every option" diff \
		<(section "$page" OPTIONS | grep -oE '^(-., )?--[a-z-]+' | sed 's/.*--/--/') \
		<("$loopmem" __options | awk -F '\t' -v c="$command" '$1 == c && $2 { print $2 }')
done

fit=$LOOPMEM_BUILD/loopmem-fit
claim "SYNOPSIS of loopmem-fit is its --usage" \
	diff <(section "$LOOPMEM_BUILD/man/loopmem-fit.1" SYNOPSIS) <("$fit" --usage)
claim "the page of loopmem-fit has every option" diff \
	<(section "$LOOPMEM_BUILD/man/loopmem-fit.1" OPTIONS | grep -oE '^ +--[a-z-]+') \
	<("$fit" --help | grep -oE '^ +--[a-z-]+')

named=$(grep -ohE '`[A-Za-z0-9_./-]+\.(c|h|def|py|sql|md|sh)`' "$SRC/docs/design.md" | tr -d '`' | sort -u)
gone=$(while read -r file; do
	find "$SRC" -path "$SRC/build" -prune -o -path "*/$file" -print -quit | grep -q . || echo "$file"
done <<<"$named")
claim "the files that the design names are there" test -z "$gone"

in_mib() { # the table of findings, with MiB as numbers and shares as parts
	awk -F ' *[|] *' 'NF == 8 && $4 ~ /iB$/ {
		for (i = 4; i <= 7; i++) {
			split($i, word, " ")
			$i = word[1] * (word[2] == "GiB" ? 1024 : word[2] == "%" ? 0.01 : 1)
		}
		print $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7
	}' "$SRC/docs/findings.md"
}
thresholds=$(sed -n 's/^THRESHOLD([A-Z_]*, "\(.*\)", "\(.*\)", \(.*\), \(.*\), \(.*\), \(.*\))$/\1|\2|\3|\4|\5|\6/p' \
	"$SRC/profiler/model/thresholds.def")
claim "the table of thresholds in the page of findings is that of the program" \
	diff <(in_mib) <(echo "$thresholds")

leftover=$(grep -hE '@[A-Z_]+@' "$LOOPMEM_BUILD"/man/*.1)
claim "no placeholder is left in a page" test -z "$leftover"

if command -v mandoc >/dev/null; then
	claim "mandoc finds nothing wrong" mandoc -T lint -W warning "$LOOPMEM_BUILD"/man/*.1
else
	skip "mandoc finds nothing wrong" "mandoc is not installed"
fi

claim "the completion is valid bash" bash -n "$LOOPMEM_BUILD/completion/loopmem"
. "$LOOPMEM_BUILD/completion/loopmem"
complete_words() { # what is offered for the last word
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_loopmem
	printf '%s\n' "${COMPREPLY[@]}"
}
claim "the first word completes to commands" test "$(complete_words loopmem hel)" = help
claim "help completes to findings" test "$(complete_words loopmem help idle-)" = idle-pool-retained
claim "a single word of an option is completed" test "$(complete_words loopmem check --ci '')" = github
for command in $commands; do
	claim "completion offers the options of $command" diff \
		<(complete_words loopmem "$command" -- | sort) \
		<("$loopmem" __options | awk -F '\t' -v c="$command" '$1 == c && $2 { print $2 }' | sort)
done
touch "$TEST_TMP/a.loopmem" "$TEST_TMP/a.txt"
sessions=$(export cur=$TEST_TMP/a && _loopmem_sessions && echo "${COMPREPLY[*]}")
claim "only sessions are offered where a session is read" test "$sessions" = "$TEST_TMP/a.loopmem"

options_of() { # options_of COMMAND: the long ones, sorted
	"$loopmem" __options | awk -F '\t' -v c="$1" '$1 == c && $2 { print $2 }' | sort
}
if command -v zsh >/dev/null; then
	claim "the zsh completion is valid zsh" zsh -n "$LOOPMEM_BUILD/completion/_loopmem"
	zsh_options() { # what it hands to _arguments, by name
		zsh -f -c '
			_arguments() { printf "%s\n" "$@" }
			source $1; words=(loopmem $2 ""); CURRENT=3; _loopmem' - \
			"$LOOPMEM_BUILD/completion/_loopmem" "$1" | grep -oE '^(\([^)]*\))?--[a-z-]+' | sed 's/^([^)]*)//' | sort
	}
	for command in $commands; do
		claim "zsh offers the options of $command" diff <(options_of "$command") <(zsh_options "$command")
	done
	claim "zsh offers the only word of an option" grep -q "^.*'--ci=.*:github:(github)'" "$LOOPMEM_BUILD/completion/_loopmem"
	claim "zsh completes help to findings" grep -qw idle-pool-retained "$LOOPMEM_BUILD/completion/_loopmem"
	autoloaded=$(zsh -f -c 'fpath=($1); autoload -Uz _loopmem; _describe() { echo "$@" }
		words=(loopmem ""); CURRENT=2; _loopmem' - "$LOOPMEM_BUILD/completion" 2>&1)
	claim "zsh finds it by its name" test "$autoloaded" = "-t commands command commands"
else
	skip "the zsh completion" "zsh is not installed"
fi

if command -v fish >/dev/null; then
	claim "the fish completion is valid fish" fish -n "$LOOPMEM_BUILD/completion/loopmem.fish"
	fish_offers() { # fish_offers LINE: what is offered for its last word
		# shellcheck disable=SC2016 # for fish
		HOME=$TEST_TMP fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
			"$LOOPMEM_BUILD/completion/loopmem.fish" "$1" | cut -f 1 | sort
	}
	for command in $commands; do
		claim "fish offers the options of $command" diff <(options_of "$command") \
			<(fish_offers "loopmem $command --" | grep -oE '^--[a-z-]+' | sort -u)
	done
	claim "fish offers the words of an option" diff <(printf '%s\n' csv openmetrics perfetto) \
		<(fish_offers "loopmem export -f " | grep -E '^(csv|openmetrics|perfetto)$')
	claim "fish offers the only word of an option" test "$(fish_offers "loopmem check --ci ")" = github
	claim "fish completes help to findings" test "$(fish_offers "loopmem help idle-")" = idle-pool-retained
	claim "and commands first" test "$(fish_offers "loopmem hel")" = help
else
	skip "the fish completion" "fish is not installed"
fi

end_of_claims
