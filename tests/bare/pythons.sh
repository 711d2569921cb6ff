#!/bin/bash
# pythons.sh [SUITE]: `make check-pythons` with every CPython of a fresh Debian SUITE; forky has 3.13 to 3.15. Needs what run.sh needs.
set -eu
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2016 # for the shell inside
tests/bare/run.sh "${1:-forky}" '
	names=$(apt-cache search --names-only "^python3\.[0-9]+-(dev|venv)$" | cut -d" " -f1) &&
	apt-get -qq install -y --no-install-recommends $names g++ $(awk "\$1 == \"build\" {print \$3}" mk/packages) >/dev/null &&
	newest=$(ls /usr/bin/python3.[0-9]* | grep -v config | sort -V | tail -n 1) &&
	$newest -m venv --without-pip build/venv && make -j2 check-pythons PYTHON=$newest'
