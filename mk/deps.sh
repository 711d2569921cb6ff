#!/bin/bash
# deps.sh probe PURPOSE...: names what is missing, fails if anything is.
# deps.sh install PURPOSE...: installs it with apt; on other systems names the packages and fails.
# The list is mk/packages. Instant when nothing is missing.
set -eu
cd "$(dirname "$0")/.."
mode=$1
shift

is_there() { # is_there KIND:NAME
	local name=${1#*:}
	case $1 in
	command:*) command -v "$name" ;;
	header:*) echo "#include <$name>" | "${CC:-gcc}" -E - ;;
	library:*) pkg-config --exists "$name" ;;
	path:*) [[ -e $name ]] ;;
	file:*) [[ $("${CC:-gcc}" -print-file-name="$name") == /* ]] ;;
	# Debian's own has what its packages bring, whatever python3 comes first
	python:*) "${PYTHON:-python3}" -c "import $name" || /usr/bin/python3 -c "import $name" ;;
	esac >/dev/null 2>&1
}

if command -v apt-get >/dev/null; then
	system=debian
elif command -v dnf >/dev/null; then
	system=fedora
elif command -v pacman >/dev/null; then
	system=arch
else
	system=debian
	mode=probe
fi
missing=()
# shellcheck disable=SC2034 # read through ${!system}
while read -r purpose check debian fedora arch; do
	[[ " $* " == *" $purpose "* ]] || continue
	[[ ${!system} == - ]] || is_there "$check" || missing+=("${!system}")
done < <(grep -v '^#' mk/packages)
((${#missing[@]})) || exit 0

if [[ $mode == probe ]]; then
	printf 'needs %s: run make deps\n' "${missing[@]}" >&2
	exit 1
fi
if [[ $system != debian ]]; then
	echo "deps: this system's package manager is not driven from here; install: ${missing[*]}" >&2
	exit 1
fi
as_root=()
if ((EUID != 0)); then
	as_root=(sudo)
	command -v sudo >/dev/null || {
		echo "deps: needs root or sudo for: apt-get install ${missing[*]}" >&2
		exit 1
	}
fi
echo "deps: installing ${missing[*]}"
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
	apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
