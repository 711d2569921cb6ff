#!/bin/sh
# exports.sh HOOKS.DEF API.H: prints the version script of libloopmem.so. The hooks are expanded by
# the preprocessor, entry form HOOK(return type, name, ...); the API is every loopmem_*() function.
set -eu
hooks() {
	printf '#define HOOK(ret, name, ...) @name@\n#include "%s"\n' "$1" |
		${CC:-cc} -E -P -I. -x c - | grep -o '@ *[A-Za-z_0-9]* *@' | tr -d '@ '
}
api() {
	grep -oE '\bloopmem_[a-z0-9_]+\(' "$1" | tr -d '('
}
echo '{'
echo '	global:'
{ hooks "$1"; api "$2"; } | sort -u | sed 's/.*/\t\t&;/'
echo '	local: *;'
echo '};'
