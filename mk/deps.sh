#!/bin/bash
# Installs the Debian/Ubuntu packages that building and testing need; instant when all are there.
# On other systems it names what is missing and fails.
set -eu
packages=(gcc g++ libc6-dev pkg-config libsqlite3-dev libjansson-dev libncurses-dev libdw-dev libelf-dev
	libcmocka-dev libunwind8 python3 python3-venv)

if ! command -v dpkg-query >/dev/null; then
	exec mk/probe.sh
fi
missing=()
for p in "${packages[@]}"; do
	[[ $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) == installed ]] || missing+=("$p")
done
((${#missing[@]})) || exit 0

echo "deps: installing ${missing[*]}"
as_root=()
if ((EUID != 0)); then
	command -v sudo >/dev/null || {
		echo "deps: needs root or sudo for: apt-get install ${missing[*]}" >&2
		exit 1
	}
	as_root=(sudo)
fi
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
	apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
