#!/bin/bash
# completion-zsh.sh LOOPMEM: prints the zsh completion, a static file made from `loopmem __options`.
set -eu
table=$("$1" __options)

# The lines of _arguments for one command: its options, then what its arguments are.
arguments() { # arguments COMMAND
	awk -F '\t' -v command="$1" -v commands="$commands" -v topics="$topics" '
		function quoted(text) { # for a word in single quotes, inside [] or before a colon
			gsub(/:/, "\\:", text)
			gsub(/\[/, "\\[", text)
			gsub(/\]/, "\\]", text)
			gsub(/\047/, "\047\\\047\047", text)
			return text
		}
		function action(kind, argument) {
			if (kind == "file") return "_files"
			if (kind == "directory") return "_files -/"
			if (kind != "enum") return " "
			gsub(/[|]/, " ", argument)
			return "(" argument ")"
		}
		$1 != command || $5 == "topic" { next }
		$5 == "command" {
			rest = ""
			if ($4 ~ /FILE|BASE|HEAD|SESSION/) rest = "*:session:_files -g \"*.loopmem\""
			if ($4 ~ /COMMAND.*ARG/) rest = "*::command: _normal"
			if ($4 ~ /^\[COMMAND/) rest = "1:topic:(" commands " " topics ")"
			next
		}
		{
			value = $5 == "flag" ? "" : ":" quoted($4) ":" action($5, $4)
			equals = $5 == "flag" ? "" : "="
			text = "[" quoted($6) "]" value
			if ($3)
				printf " \\\n\t\t\t\047(%s %s)\047{%s,%s%s}\047%s\047", $3, $2, $3, $2, equals, text
			else
				printf " \\\n\t\t\t\047%s%s%s\047", $2, equals, text
		}
		END { if (rest) printf " \\\n\t\t\t\047%s\047", rest }' <<<"$table"
}
topics=$(awk -F '\t' '$5 == "topic" { printf "%s%s", sep, $4; sep = " " }' <<<"$table")
commands=$(awk -F '\t' '$5 == "command" { printf "%s%s", sep, $1; sep = " " }' <<<"$table")

cat <<'END'
#compdef loopmem
# zsh completion of loopmem; made from its option tables, do not edit

_loopmem() {
	local -a commands
	commands=(
END
awk -F '\t' '$5 == "command" { gsub(/\047/, "\047\\\047\047", $6); printf "\t\t\047%s:%s\047\n", $1, $6 }' <<<"$table"
cat <<'END'
	)
	if ((CURRENT == 2)); then
		_describe -t commands command commands
		return
	fi
	shift words
	((CURRENT--))
	case $words[1] in
END
for command in $commands; do
	printf '\t%s)\n\t\t_arguments -S' "$command"
	arguments "$command"
	printf '\n\t\t;;\n'
done
cat <<'END'
	esac
}

# sourced it only defines; called by the completion system it completes
if [[ $funcstack[1] == _loopmem ]]; then
	_loopmem "$@"
fi
END
