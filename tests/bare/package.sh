#!/bin/bash
# package.sh SUITE: builds the Debian packages here, installs them in a fresh Debian SUITE where nothing else is, and
# runs the demo there. Needs what run.sh needs; build and SUITE must be of the same release or the older one.
set -eu
cd "$(dirname "$0")/../.."
suite=${1:?usage: tests/bare/package.sh SUITE}
make --no-print-directory deb
BARE_FILES=$(cd build/deb && printf '%s ' "$PWD"/*.deb)
export BARE_FILES
# shellcheck disable=SC2016 # for the shell inside
tests/bare/run.sh "$suite" 'cd / && rm -rf /root/loopmem &&
	apt-get -qq install -y --no-install-recommends /root/files/*.deb >/dev/null &&
	loopmem --version &&
	loopmem demo --epochs=2 -o /tmp/demo | tee /tmp/out &&
	grep -q "the same to the bit" /tmp/out &&
	loopmem report -f html /tmp/demo/old.loopmem | grep -q dygraph &&
	LD_PRELOAD=/usr/lib/loopmem/libloopmem.so /bin/true &&
	apt-get -qq purge -y loopmem libloopmem-dev >/dev/null && test ! -e /usr/bin/loopmem && test ! -e /usr/lib/loopmem &&
	echo "package: installed, ran, removed"'
