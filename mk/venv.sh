#!/bin/bash
# venv.sh DIR: makes the Python environment of the torch tests, or brings it up to the pins.
# DIR/older has the older Lightning, DIR/frameworks what few tests need. A DIR that was not made here is only checked, never changed.
set -eu
cd "$(dirname "$0")/.."
venv=$1
pins=tests/python/requirements.txt
check=tests/python/environment.py
export PYTHONDONTWRITEBYTECODE=1

install() { # install ARGUMENT...
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

if [[ ! -x $venv/bin/python ]]; then
	"${PYTHON:-python3}" -m venv "$venv"
	touch "$venv/made-by-loopmem"
fi
if ! different=$("$venv/bin/python" $check); then
	if [[ ! -e $venv/made-by-loopmem ]]; then
		echo "check-torch: $venv is not as tests/python/requirements.txt says:" >&2
		sed 's/^/  /' <<<"$different" >&2
		exit 1
	fi
	echo "check-torch: installing $pins in $venv"
	install -r $pins
	"$venv/bin/python" $check
fi
for apart in older frameworks; do
	apart_pins=tests/python/requirements-$apart.txt
	if [[ -e $venv/made-by-loopmem ]] && ! cmp -s "$apart_pins" "$venv/$apart/pins"; then
		rm -rf "${venv:?}/$apart"
		install --no-deps --target "$venv/$apart" -r "$apart_pins"
		cp "$apart_pins" "$venv/$apart/pins"
	fi
done
