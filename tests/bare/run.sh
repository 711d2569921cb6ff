#!/bin/bash
# run.sh SUITE [COMMAND]: runs COMMAND on the committed tree in a fresh, bare Debian SUITE
# (bookworm, trixie, forky): nothing there but the base system and make. Needs root and debootstrap.
# BARE_FILES (paths) are there too, in /root/files. The base system is kept in BARE_DIR/SUITE and never written to
# again; all else is thrown away.
set -eu
suite=${1:?usage: tests/bare/run.sh SUITE [COMMAND]}
command=${2:-make deps && make -j2 && make check-unit && make demo}
base=${BARE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/loopmem-bare}/$suite
source=$(cd "$(dirname "$0")/../.." && pwd)

if [[ ! -e $base/bare-is-complete ]]; then
	mkdir -p "$base"
	known=/usr/share/debootstrap/scripts/$suite # a suite newer than debootstrap is made as sid is
	[[ -e $known ]] || known=/usr/share/debootstrap/scripts/sid
	debootstrap --variant=minbase "$suite" "$base" "" "$known"
	touch "$base/bare-is-complete"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/root" "$scratch/layer"
mkdir "$scratch/files"
read -ra files <<<"${BARE_FILES:-}"
((${#files[@]} == 0)) || cp "${files[@]}" "$scratch/files"
git -C "$source" archive --prefix=loopmem/ HEAD >"$scratch/tree.tar"

inside() { # in a mount namespace of its own: every mount goes with it
	mount -t tmpfs tmpfs "$scratch/layer"
	mkdir "$scratch/layer/upper" "$scratch/layer/work"
	mount -t overlay overlay "$scratch/root" \
		-o "lowerdir=$base,upperdir=$scratch/layer/upper,workdir=$scratch/layer/work"
	mount -t proc proc "$scratch/root/proc"
	mount --rbind /sys "$scratch/root/sys"
	mount --rbind /dev "$scratch/root/dev"
	cp -L /etc/resolv.conf "$scratch/root/etc/"
	cp -r "$scratch/files" "$scratch/root/root/"
	tar -C "$scratch/root/root" -xf "$scratch/tree.tar"
	chroot "$scratch/root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -c "
		echo 'Acquire::Check-Valid-Until no;' >/etc/apt/apt.conf.d/frozen-mirror && # a mirror may be a snapshot
		apt-get -qq update && apt-get -qq install -y make >/dev/null &&
		cd /root/loopmem && $command"
}
export -f inside
export base scratch command
unshare --mount --pid --fork --kill-child bash -euc inside
