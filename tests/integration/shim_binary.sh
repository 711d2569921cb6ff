#!/bin/bash
# What libloopmem.so is to the loader: its symbols, libraries, thread-local state and place in line.
. "$SRC/tests/lib/tap.sh"
shim=$LOOPMEM_BUILD/libloopmem.so
targets=$LOOPMEM_BUILD/tests/targets
unset LOOPMEM_DIR LD_PRELOAD
export LOOPMEM_COLLECT=0

exported=$(nm -D --defined-only "$shim" | awk '{ print $3 }' | sort)
hooks=$(sed -nE 's/^HOOK\([^,]*, ([a-zA-Z0-9_]+),.*/\1/p' "$SRC/inject/hooks.def")
api=$(grep -oE '^(void|loopmem_pool) loopmem_[a-z_]+' "$SRC/inject/loopmem.h" | awk '{ print $2 }')
expected=$(printf '%s\n' "$hooks" "$api" | sort)
claim "it exports the hooks and the public API, nothing else" \
	diff <(echo "$expected") <(echo "$exported")
claim "all hooks were found" test "$(wc -l <<<"$hooks")" -ge 35
for name in malloc calloc realloc free posix_memalign aligned_alloc mmap64 munmap fork _exit execve; do
	grep -qx "$name" <<<"$exported" || missing+=" $name"
done
claim "the functions that matter most are interposed" test -z "${missing:-}"
claim "vfork is not" test -z "$(grep -x vfork <<<"$exported")"

needed=$(readelf -dW "$shim" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sed -E 's/\.so.*//' | sort)
foreign=$(grep -vxE 'libc|libm|libdl|libpthread|ld-linux.*' <<<"$needed")
claim "it needs libc alone" test -z "$foreign"
tls=$(($(readelf -lW "$shim" | awk '$1 == "TLS" { print $6 }')))
claim "its thread-local state is at most 64 bytes" test "$tls" -gt 0 -a "$tls" -le 64
claim "it uses the initial-exec model only" \
	test -z "$(readelf -rW "$shim" | grep -E 'DTPMOD|TLSDESC')"
claim "it can not be unloaded" grep -q NODELETE <(readelf -dW "$shim")
claim "its stack is not executable" \
	test -z "$(readelf -lW "$shim" | awk '$1 == "GNU_STACK" && $7 ~ /E/')"

libraries=()
for i in {1..60}; do
	cp "$targets/libtls.so" "$TEST_TMP/libtls$i.so"
	libraries+=("$TEST_TMP/libtls$i.so")
done
claim "60 libraries with thread-local state load behind it" \
	test "$(LD_PRELOAD=$shim "$targets/manytls" "${libraries[@]}")" = 60
claim "it can be loaded late, after 60 such libraries" \
	test "$("$targets/manytls" "${libraries[@]}" "$shim")" = 61

end_of_claims
