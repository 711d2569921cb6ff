#!/bin/bash
# deb.sh DIR: builds the Debian packages of the committed tree and leaves them in DIR. The unit tests are left to
# `make check`. Needs dpkg-buildpackage and debhelper.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
into=$(cd "$1" && pwd)
version=$(sed -n 's/^#define LOOPMEM_VERSION "\(.*\)"/\1/p' "$source/profiler/version.h")
packaged=$(sed -n '1s/^loopmem (\(.*\)) .*/\1/p' "$source/debian/changelog")
if [[ $version != "$packaged" ]]; then
	echo "deb: debian/changelog says $packaged, profiler/version.h says $version" >&2
	exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git -C "$source" archive --prefix="loopmem-$version/" HEAD | tar -C "$scratch" -x
cd "$scratch/loopmem-$version"
DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-nocheck} dpkg-buildpackage --build=binary --no-sign >"$into/build.log" 2>&1 || {
	tail -n 30 "$into/build.log" >&2
	exit 1
}
mv ../*.deb "$into"
