#!/bin/bash
# Every #include obeys the table "Folders, and who may include whom" of docs/design.md: a folder
# sees itself and what its row allows; a library named anywhere in the table is for those alone
# whose row allows it, unless nobody's does, then it is forbidden where a row says never.
. "$SRC/tests/lib/tap.sh"
cd "$SRC" || exit 1

# Headers of the libraries that the table speaks of.
declare -A library_of=(
	[sqlite]='^sqlite3\.h$' [libelf]='^(libelf|gelf)\.h$' [libdw]='^(dwarf\.h|elfutils/.*)$'
	[libunwind]='^libunwind.*\.h$' [curses]='^n?curses.*\.h$' [stdio]='^stdio\.h$'
)
declare -A allowed never # folder/ -> words of its row

words() { # a cell as words: "session readers, view's formatting" -> session view
	sed -E -e 's/\([^)]*\)//g' -e "s/'s [a-z]+//g" -e 's/ (readers|internals)//g' -e 's/all of //g' \
		-e 's/everything else of ours//' -e 's/,/ /g' <<<"$1"
}
while IFS='|' read -r _ folder may not _; do
	folder=$(tr -d ' ' <<<"${folder%/}")
	folder=${folder%/}/
	allowed[$folder]=" $(words "$may" | xargs) "
	never[$folder]=" $(words "$not" | xargs) "
done < <(awk '/^\| folder \| may include/ { on = 1; next } on && !/^\|/ { exit } on && !/^\| *---/' docs/design.md)

folder_of() { # the row a file belongs to; "" for profiler/*.c and the rest
	local folder
	for folder in "${!allowed[@]}"; do
		[[ $1 == "$folder"* ]] && echo "$folder"
	done
}

may_see() { # may_see FOLDER HEADER: a header of ours
	local word
	[[ $2 == "$1"* || $2 == profiler/error.h && $1 =~ ^(profiler|tui)/ ]] && return
	for word in ${allowed[$1]}; do
		case $word in
		*.h) [[ $2 == "$word" ]] && return ;;
		*/) [[ $2 == "$word"* ]] && return ;;
		*) [[ $2 == "profiler/$word/"* || $2 == "$word/"* ]] && return ;;
		esac
	done
	return 1
}

wrong_library() { # wrong_library FOLDER HEADER: prints the library that may not be used here
	local name folder owners
	for name in "${!library_of[@]}"; do
		[[ $2 =~ ${library_of[$name]} ]] || continue
		owners=
		for folder in "${!allowed[@]}"; do
			[[ ${allowed[$folder]} == *" $name "* ]] && owners+=" $folder"
		done
		if [[ ${never[$1]:-} == *" $name "* || -n $owners && " $owners " != *" $1 "* ]]; then
			echo "$name"
		fi
	done
}

check_file() { # prints what is wrong with the includes of one file
	local file=$1 folder header library
	folder=$(folder_of "$file")
	while read -r header; do
		[[ $header == */* ]] || echo "$file: \"$header\" is not named from the top"
		if [[ -n $folder ]]; then
			may_see "$folder" "$header" || echo "$file: $folder may not include $header"
		elif [[ $file != profiler/main.c && ! $header =~ ^profiler/[^/]*$ ]]; then
			echo "$file: the base may not include $header"
		fi
	done < <(sed -nE 's/^ *# *include *"([^"]*)".*/\1/p' "$file")
	while read -r header; do
		library=$(wrong_library "${folder:-profiler/}" "$header")
		[[ -z $library ]] || echo "$file: ${folder:-profiler/} may not use $library"
	done < <(sed -nE 's/^ *# *include *<([^>]*)>.*/\1/p' "$file")
}

claim "the table of docs/design.md is found" test "${#allowed[@]}" -ge 9

trial=$TEST_TMP/trial # the rules themselves, tried on includes that are known to be wrong
mkdir -p "$trial"/{inject,profiler/{model,view,session},tui}
echo '#include "profiler/collect/collect.h"' >"$trial/profiler/model/a.c"
echo '#include <sqlite3.h>' >"$trial/profiler/view/b.c"
echo '#include <stdio.h>' >"$trial/inject/c.c"
echo '#include "tui.h"' >"$trial/tui/d.c"
printf '#include <sqlite3.h>\n#include "profiler/error.h"\n' >"$trial/profiler/session/e.c"
found=$(cd "$trial" && for f in */*.c */*/*.c; do check_file "$f"; done | cut -d: -f1 | sort -u | xargs)
claim "wrong includes are seen, right ones are not" \
	test "$found" = "inject/c.c profiler/model/a.c profiler/view/b.c tui/d.c"

wrong=$(find inject profiler reference tui -name '*.[ch]' 2>/dev/null | sort |
	while read -r file; do check_file "$file"; done)
claim "every include obeys the table" test -z "$wrong"

end_of_claims
