#!/bin/bash
# Programs that are no trainers behave the same with the shim as without, wherever it may write.
. "$SRC/tests/lib/tap.sh"
shim=$LOOPMEM_BUILD/libloopmem.so
work=$TEST_TMP/work
unset LOOPMEM_DIR LD_PRELOAD

same() { # same NAME COMMAND...: output, errors and status with and without the shim, afresh each time
	local name=$1 side
	shift
	for side in bare shim; do
		rm -rf "$work" && mkdir "$work" "$work/segments"
		(
			cd "$work" || exit
			if [ $side = shim ]; then
				export LOOPMEM_DIR=${directory:-$work/segments} LD_PRELOAD=$shim
			fi
			"$@" >"$TEST_TMP/$side.out" 2>"$TEST_TMP/$side.err"
			echo "status $?" >>"$TEST_TMP/$side.out"
		) 2>/dev/null
	done
	claim "$name" diff -r "$TEST_TMP/bare.out" "$TEST_TMP/shim.out"
	claim "$name: standard error" diff "$TEST_TMP/bare.err" "$TEST_TMP/shim.err"
	[ -n "${directory:-}" ] || claim "$name: it was profiled" test -n "$(ls "$work/segments")"
}

shell_script() {
	sh -c 'for i in 1 2 3; do (echo "sub $i" | sed s/sub/in/ | cat); done; ls /nonexistent; exit 3'
}
killed_shell() {
	sh -c 'sh -c "echo before; kill -SEGV \$\$; echo after"; echo "died: $?"'
}
git_session() {
	export HOME=$work GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
	git -c init.defaultBranch=main init -q repo && cd repo || return
	seq 1000 >file && git add file
	git -c user.name=n -c user.email=e commit -qm first && git log --stat && git gc -q && git fsck
}
compile() {
	echo 'int main(void) { return 42; }' >a.c
	gcc -O2 -o a a.c && sha256sum a && ./a
	echo 'broken' | gcc -x c -c -o b.o -
}
python_script() {
	"$(command -v /usr/bin/python3 || command -v python3)" - <<-'END'
		import os, subprocess, sys, threading, multiprocessing
		threads = [threading.Thread(target=lambda: [bytearray(1000) for _ in range(1000)]) for _ in range(8)]
		[t.start() for t in threads]; [t.join() for t in threads]
		print(subprocess.run(["sh", "-c", "echo from sh; exit 5"], capture_output=True))
		print(subprocess.run(["true"], preexec_fn=lambda: None).returncode)
		if __name__ == "__main__":
		    with multiprocessing.get_context("fork").Pool(2) as pool:
		        print(pool.map(len, ["a", "bb", "ccc"]))
		print(os.waitstatus_to_exitcode(os.system("exit 7")))
		sys.stderr.write("an error\n")
		raise SystemExit(9)
	END
}
closes_everything() { # programs that close all descriptors must not close ours, nor find any
	bash -c 'ls -l /proc/self/fd | wc -l; for fd in 3 4 5 6 7 8 9; do eval "exec $fd>&-"; done; echo done'
}

same "a shell script" shell_script
same "a shell killed by a signal" killed_shell
same "git" git_session
same "gcc" compile
same "python with threads, pools of processes and subprocesses" python_script
same "descriptors" closes_everything
same "which blocks glibc maps" "$LOOPMEM_BUILD/tests/targets/own_mappings"

directory=/nonexistent/loopmem same "a directory that does not exist" shell_script
touch "$TEST_TMP/file"
directory=$TEST_TMP/file same "a directory that is a file" shell_script
directory=$(printf 'x%.0s' {1..5000}) same "a directory with a name too long" shell_script
if ((EUID)); then
	directory=/ same "a directory that cannot be written" shell_script
else
	mkdir "$TEST_TMP/ro" && mount -t tmpfs -o ro loopmem-test "$TEST_TMP/ro" 2>/dev/null &&
		{
			directory=$TEST_TMP/ro same "a directory that cannot be written" shell_script
			umount "$TEST_TMP/ro"
		} || skip "a directory that cannot be written" "needs mount"
fi

if mkdir "$TEST_TMP/small" && mount -t tmpfs -o size=500k loopmem-test "$TEST_TMP/small" 2>/dev/null; then
	directory=$TEST_TMP/small same "a file system of 500 KiB" python_script
	claim "some segments found room, the others are empty files" \
		test "$(find "$TEST_TMP/small" -size +0 | grep -c seg)" -gt 0 -a \
		"$(find "$TEST_TMP/small" -size 0 | grep -c seg)" -gt 0
	heapwork=$(LOOPMEM_DIR=$TEST_TMP/small LD_PRELOAD=$shim "$LOOPMEM_BUILD/tests/targets/heapwork" 500 | wc -l)
	claim "a program of many threads and processes ends well there" test "$heapwork" -eq 7
	umount "$TEST_TMP/small"
else
	skip "a file system of 500 KiB" "needs root to mount a small tmpfs"
fi

mkdir "$TEST_TMP/gone"
LOOPMEM_DIR=$TEST_TMP/gone LD_PRELOAD=$shim sh -c "rm -rf '$TEST_TMP/gone'; (echo child); echo parent" >"$TEST_TMP/out"
claim "a directory removed underneath does no harm" test "$(cat "$TEST_TMP/out")" = $'child\nparent'

cd "$TEST_TMP" || exit
# shellcheck disable=SC2016
mean=$("$LOOPMEM_BUILD/loopmem" run -q -o sizes.loopmem --sample-bytes 64K -- sh -c 'echo "$LOOPMEM_SAMPLE_BYTES"')
claim "a size is handed to the shim as the plain number it reads" test "$mean" = 65536

end_of_claims
