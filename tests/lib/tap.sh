# shellcheck shell=bash
# Sourced by tests in shell: results as TAP lines, one per claim.
#   claim "an unknown command exits with 2" test "$status" -eq 2
#   differs=$(diff a b); claim "both agree" test -z "$differs"
#   skip "mandoc lints the pages" "no mandoc here"
#   end_of_claims         (last line of the test: its exit status tells whether all held)
tap_count=0 tap_failed=0

claim() { # claim NAME COMMAND...: holds when the command succeeds; its output is shown when not
	local name=$1 output
	shift
	tap_count=$((tap_count + 1))
	if output=$("$@" 2>&1); then
		echo "ok $tap_count - $name"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $name"
		printf '# %s\n' "failed: $*" ${output:+"$output"}
	fi
}

skip() { # skip NAME REASON
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

end_of_claims() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
