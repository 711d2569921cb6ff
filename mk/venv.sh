#!/bin/bash
# venv.sh DIR: makes the Python environment of the torch tests, or brings it up to the pins.
# A DIR that was not made here is only checked, never changed.
set -eu
cd "$(dirname "$0")/.."
venv=$1
check=tests/python/environment.py
export PYTHONDONTWRITEBYTECODE=1

if [[ -x $venv/bin/python ]]; then
	different=$("$venv/bin/python" $check) && exit 0
	if [[ ! -e $venv/made-by-loopmem ]]; then
		echo "check-torch: $venv is not as tests/python/requirements.txt says:" >&2
		sed 's/^/  /' <<<"$different" >&2
		exit 1
	fi
else
	"${PYTHON:-python3}" -m venv "$venv"
	touch "$venv/made-by-loopmem"
fi
echo "check-torch: installing tests/python/requirements.txt in $venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt
"$venv/bin/python" $check
