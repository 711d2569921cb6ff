#!/bin/sh
# exports.sh HOOKS.DEF API.H: prints the version script of libloopmem.so. Both are read through the
# preprocessor: a hook is HOOK(return type, name, ...), the API is every loopmem_*() function.
set -eu
preprocess() {
	${CC:-cc} -E -P -I. -x c -
}
hooks() {
	printf '#define HOOK(ret, name, ...) @name@\n#include "%s"\n' "$1" | preprocess |
		grep -oE '@ *[A-Za-z_0-9]+ *@' | tr -d '@ '
}
api() {
	printf '#include "%s"\n' "$1" | preprocess | grep -oE '\bloopmem_[a-z0-9_]+ ?\(' | tr -d ' ('
}
hooks=$(hooks "$1") api=$(api "$2")
echo '{'
echo '	global:'
printf '%s\n' "$hooks" "$api" | sort -u | sed 's/.*/\t\t&;/'
echo '	local: *;'
echo '};'
