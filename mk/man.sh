#!/bin/bash
# man.sh LOOPMEM PAGE.1.in: prints the man page. The lines @SYNOPSIS@, @OPTIONS@, @COMMANDS@, @KEYS@
# and @SEE_ALSO@ are replaced by what the program says of itself; @HELP@, @VERSION@ and @DATE@ in a line.
# The page of a program beside LOOPMEM (loopmem-fit) gets the words of that program instead.
set -eu
loopmem=$1 page=$2
command=$(basename "$page" .1.in)
command=${command#loopmem} command=${command#-}
table=$("$loopmem" __options)
own=$(dirname "$loopmem")/loopmem-$command # a program of its own?
[[ $command && -x $own ]] || own=

roff() { # text to roff: backslashes and hyphens, and no line may start as a request
	sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/"
}
options() {
	if [[ $own ]]; then # the paragraphs of its help that list options
		echo .nf
		"$own" --help | awk '/^ [A-Z][a-z]*$/ { on = 1 } /^[A-Z]/ { on = 0 } on' | roff
		echo .fi
		return
	fi
	awk -F '\t' -v command="$command" '$1 == command && $2 {
		value = $4 ? ($3 ? " " : "=") "\\fI" $4 "\\fR" : ""
		print ".TP"
		printf "\\fB%s\\fR%s\n", ($3 ? $3 "\\fR, \\fB" : "") $2, $4 ? "=\\fI" $4 "\\fR" : ""
		print $6
	}' <<<"$table" | sed 's/-/\\-/g'
}
synopsis() {
	echo .nf
	if [[ $own ]]; then "$own" --usage; else "$loopmem" "$command" --usage; fi | roff
	echo .fi
}
commands() {
	awk -F '\t' '$5 == "command" {
		printf ".TP\n.BR loopmem\\-%s (1)\n%s\n", $1, $6
	}' <<<"$table"
}
keys() {
	"$loopmem" top --keys=roff
}
see_also() {
	awk -F '\t' '$5 == "command" { printf "%s.BR loopmem\\-%s (1)", sep, $1; sep = ",\n" }
		END { print "" }' <<<"$table"
}

version=$("$loopmem" --version | sed -n '1s/^loopmem \([^ ]*\).*/\1/p')
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
help=$(awk -F '\t' -v command="$command" '$1 == command && $5 == "command" { print $6 }' <<<"$table")
while IFS= read -r line; do
	case $line in
	@SYNOPSIS@) synopsis ;;
	@OPTIONS@) options ;;
	@COMMANDS@) commands ;;
	@KEYS@) keys ;;
	@SEE_ALSO@) see_also ;;
	*)
		line=${line//@VERSION@/$version}
		line=${line//@HELP@/$help}
		printf '%s\n' "${line//@DATE@/$date}"
		;;
	esac
done <"$page"
