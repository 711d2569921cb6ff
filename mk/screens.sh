#!/bin/bash
# screens.sh LOOPMEM LOOPMEM-FIT DIRECTORY: captures the dashboard beside the reference loop, in its old order and in the new
# one, during validation, as text files in DIRECTORY. Needs tmux.
set -eu
loopmem=$(realpath "$1") fit=$(realpath "$2") out=$(realpath "$3")
scratch=$(mktemp -d)
server=(tmux -S "$scratch/tmux" -f /dev/null)
cleanup() {
	"${server[@]}" kill-server 2>/dev/null || true
	wait
	rm -rf "$scratch"
}
trap cleanup EXIT

screen() { "${server[@]}" capture-pane -p; }
wait_for() { # wait_for PATTERN: until it is on the screen, 30 s at most
	for _ in {1..600}; do
		screen | grep -qE "$1" && return
		sleep 0.05
	done
	echo "screens.sh: no \"$1\" on the screen:" >&2
	screen >&2
	return 1
}
capture() { # capture NAME
	screen >"$out/$1.txt"
	echo "  $out/$1.txt"
}

for order in old new; do
	cd "$scratch"
	ln -sf "$fit" train
	"$loopmem" run -q -o "$order.loopmem" -- ./train --order=$order --workers=4 --val-workers=4 --cache-mib=64 --epochs=3 \
		--item-delay=8 --train-items=2048 --val-items=4096 >/dev/null 2>&1 &
	until [ -e "$order.loopmem" ]; do sleep 0.1; done
	"${server[@]}" new-session -d -x 80 -y 24 "LC_ALL=C.UTF-8 NO_COLOR=1 XDG_CONFIG_HOME=/nonexistent '$loopmem' top $order.loopmem"
	"${server[@]}" set-option -g status off
	"${server[@]}" resize-window -x 80 -y 24
	wait_for '[ >]train #[0-9]+ e1 +delivering'
	wait_for '[ >]validate #[0-9]+ e1 +delivering'
	sleep 2
	capture "$order-order-80x24"
	"${server[@]}" resize-window -x 120 -y 40
	wait_for 'h l time'
	sleep 1
	capture "$order-order-120x40"
	"${server[@]}" send-keys 3
	wait_for '\[3 Processes\]'
	capture "$order-order-processes-120x40"
	"${server[@]}" kill-server
	kill %1 2>/dev/null || true
	wait
done
