#!/bin/bash
# completion-fish.sh LOOPMEM: prints the fish completion, a static file made from `loopmem __options`.
set -eu
table=$("$1" __options)

echo '# fish completion of loopmem; made from its option tables, do not edit'
echo 'complete -c loopmem -f'
echo 'complete -c loopmem -n __fish_use_subcommand -l version -d "print the version"'
awk -F '\t' '
	function quoted(text) {
		gsub(/[\\\047]/, "\\\\&", text)
		return "\047" text "\047"
	}
	function values(kind, argument) {
		if (kind == "flag") return ""
		if (kind == "file") return " -r -F"
		if (kind == "directory") return " -x -a " quoted("(__fish_complete_directories)")
		if (kind != "enum") return " -x"
		gsub(/[|]/, " ", argument)
		return " -x -a " quoted(argument)
	}
	$5 == "topic" { ids = ids " " $4; next }
	{ seen = "complete -c loopmem -n \"__fish_seen_subcommand_from " $1 "\"" }
	$5 == "command" {
		print "complete -c loopmem -n __fish_use_subcommand -a " $1 " -d " quoted($6)
		if ($4 ~ /FILE|BASE|HEAD|SESSION/) print seen " -k -a " quoted("(__fish_complete_suffix .loopmem)")
		if ($4 ~ /COMMAND.*ARG/) print seen " -x -a " quoted("(__fish_complete_subcommand --fcs-skip=2)")
		if ($4 ~ /^\[COMMAND/) topics = seen
		commands = commands sep $1
		sep = " "
		next
	}
	$2 { print seen " -l " substr($2, 3) ($3 ? " -s " substr($3, 2) : "") values($5, $4) " -d " quoted($6) }
	END { if (topics) print topics " -x -a " quoted(commands ids) }' <<<"$table"
