#!/bin/sh
# Checks for what the build needs and names the Debian package of whatever is missing.
missing=
need() { # need PACKAGE COMMAND...
	package=$1
	shift
	"$@" >/dev/null 2>&1 && return
	echo "needs $package: run make deps" >&2
	missing=1
}
need "${CC:-gcc}" "${CC:-gcc}" --version
need pkg-config pkg-config --version
need libsqlite3-dev pkg-config --exists sqlite3
need libjansson-dev pkg-config --exists jansson
need libncurses-dev pkg-config --exists ncursesw
need libdw-dev pkg-config --exists libdw
need libelf-dev pkg-config --exists libelf
[ -z "$missing" ]
