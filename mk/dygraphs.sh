#!/bin/sh
# dygraphs.sh DIR: prints dygraph_js[], dygraph_css[] and dygraph_version[] from the library in DIR; where it is not
# there they are empty and "none". References to source maps are cut: a report refers to no other file.
set -eu
dir=$1 here=$(dirname "$0")
part=$(mktemp)
trap 'rm -f "$part"' EXIT
version=none

for kind in js css; do
	if [ -e "$dir/dygraph.min.js" ] && [ -e "$dir/dygraph.min.css" ]; then
		sed -e 's|//# sourceMappingURL=.*||' -e 's|/\*# sourceMappingURL=[^*]*\*/||' "$dir/dygraph.min.$kind" >"$part"
		version=$(sed -n '1s|.*/dygraphs/blob/v\([0-9.]*\)/.*|\1|p' "$dir/dygraph.min.js")
	else
		: >"$part"
	fi
	"$here/embed.sh" "dygraph_$kind" "$part" | sed "1s|$part|$dir|"
done
echo "static const char dygraph_version[] = \"${version:-unknown}\";"
