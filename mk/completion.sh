#!/bin/bash
# completion.sh LOOPMEM: prints the bash completion, a static file made from `loopmem __options`.
set -eu
table=$("$1" __options)

# What completes the value of an option, by its kind; ":" completes nothing.
values_of_options() {
	awk -F '\t' '
		function completer(kind, argument) {
			if (kind == "file") return "_loopmem_paths -f"
			if (kind == "directory") return "_loopmem_paths -d"
			if (kind != "enum") return ":"
			gsub(/[|]/, " ", argument)
			return "_loopmem_words \"" argument "\""
		}
		$2 && $5 != "flag" {
			pattern = $1 "," $2 ($3 ? " | " $1 "," $3 : "")
			printf "\t%s) %s; return ;;\n", pattern, completer($5, $4)
		}' <<<"$table"
}
options_of_commands() {
	awk -F '\t' '
		$5 == "command" { order[++n] = $1 }
		$2 { options[$1] = options[$1] " " $2 ($3 ? " " $3 : "") }
		END {
			for (i = 1; i <= n; i++)
				printf "\t%s) options=\"%s\" ;;\n", order[i], substr(options[order[i]], 2)
		}' <<<"$table"
}
# What a command's arguments are, by their names in its synopsis.
arguments_of_commands() {
	awk -F '\t' '$5 == "command" {
		what = ":"
		if ($4 ~ /FILE|BASE|HEAD/) what = "_loopmem_sessions"
		if ($4 ~ /COMMAND.*ARG/) what = "_loopmem_paths -c"
		if ($4 ~ /^\[COMMAND/) what = "_loopmem_words \"$commands $topics\""
		printf "\t%s) %s ;;\n", $1, what
	}' <<<"$table"
}
topics=$(awk -F '\t' '$5 == "topic" { printf "%s%s", sep, $4; sep = " " }' <<<"$table")
commands=$(awk -F '\t' '$5 == "command" { printf "%s%s", sep, $1; sep = " " }' <<<"$table")

cat <<END
# shellcheck shell=bash
# bash completion of loopmem; made from its option tables, do not edit

_loopmem_words() {
	mapfile -t COMPREPLY < <(compgen -W "\$1" -- "\$cur")
}
_loopmem_paths() {
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "\$1" -- "\$cur")
}
_loopmem_sessions() {
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -X '!*.loopmem' -- "\$cur"; compgen -d -- "\$cur")
}
_loopmem() {
	local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
	local command=\${COMP_WORDS[1]} options commands="$commands" topics="$topics"

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_loopmem_words "\$commands --help --version"
		return
	fi
	# --option=value arrives as three words
	if [[ \$cur == = ]]; then
		cur=
	elif [[ \$previous == = ]]; then
		previous=\${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case \$command,\$previous in
$(values_of_options)
	esac
	case \$command in
$(options_of_commands)
	*) return ;;
	esac
	if [[ \$cur == -* ]]; then
		_loopmem_words "\$options"
		return
	fi
	case \$command in
$(arguments_of_commands)
	esac
}
complete -F _loopmem loopmem
END
