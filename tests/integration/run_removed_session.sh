#!/bin/bash
# A session whose file or directory is removed while it is written: the command is not disturbed,
# the session is saved and the message says where.
. "$SRC/tests/lib/tap.sh"

loopmem=$LOOPMEM_BUILD/loopmem
cd "$TEST_TMP" || exit
export TMPDIR=$TEST_TMP/elsewhere
mkdir elsewhere

removed_while_it_runs() { # removed_while_it_runs WHAT: what is said; the command's status in $status
	mkdir -p runs
	message=$("$loopmem" run -o runs/x.loopmem -- sh -c "sleep 0.5; rm -r $1; sleep 0.3; exit 3" 2>&1)
	status=$?
}

removed_while_it_runs runs/x.loopmem
claim "the command ends as it ended" test "$status" -eq 3
claim "a removed file is written again and told" \
	grep -F "runs/x.loopmem was removed while it was written: written again at the end" <<<"$message"
claim "it can be read" "$loopmem" report runs/x.loopmem

removed_while_it_runs runs
saved=$(sed -n 's/^loopmem: .*saved as //p' <<<"$message")
claim "with its directory removed the command ends as it ended" test "$status" -eq 3
claim "the directory is not made again" test ! -e runs
claim "the message names another place" test -f "$saved"
claim "what is there can be read" "$loopmem" report "$saved"
end_of_claims
