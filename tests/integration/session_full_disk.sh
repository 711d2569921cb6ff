#!/bin/bash
# A session on a disk that is too small for it: the writer says so, what was written is readable.
# The disk is a tmpfs of 1 MiB in a mount namespace of the test's own.
if [[ -z ${IN_NAMESPACE-} ]]; then
	if ! unshare -m true 2>/dev/null; then
		echo "needs a mount namespace: root with CAP_SYS_ADMIN"
		exit 77
	fi
	IN_NAMESPACE=1 exec unshare -m bash "$0"
fi
. "$SRC/tests/lib/tap.sh"

disk=$TEST_TMP/disk
mkdir "$disk"
if ! mount -t tmpfs -o size=1m tmpfs "$disk"; then
	echo "cannot mount a tmpfs"
	exit 77
fi
file=$disk/run.loopmem
message=$("$LOOPMEM_BUILD/tests/fixtures/reference_session" "$file" 2>&1)
status=$?

claim "the writer fails in the end" test "$status" -eq 1
claim "it says which file and why" grep -F "cannot write $file: No space left on device" <<<"$message"
claim "it says what to do" grep -F "use -o DIR/FILE on another disk" <<<"$message"
claim "it counts what was lost" grep -E '^reference_session: [1-9][0-9]* rows lost$' <<<"$message"

read_back=$("$PYTHON" - "$file" <<'PYTHON'
import sqlite3, sys

session = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
samples, last = session.execute("SELECT count(*), max(t_ns) FROM sample").fetchone()
rounds = [n for n, in session.execute("SELECT count(*) FROM sample GROUP BY t_ns")]
check, = session.execute("PRAGMA integrity_check").fetchone()
pools, = session.execute("SELECT count(*) FROM pool").fetchone()
print(check, samples > 1000, last < 1131e9, pools)
PYTHON
)
claim "what was written is whole" test "$read_back" = "ok True True 7"

report=$("$LOOPMEM_BUILD/loopmem" report "$file" 2>&1)
claim "it can be reported" grep -E '^Peak' <<<"$report"
end_of_claims
