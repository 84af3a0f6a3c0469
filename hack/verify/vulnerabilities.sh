#!/usr/bin/env bash
# Fails on known vulnerabilities that the code calls. The database is on the
# internet. Where it cannot be reached, the script says that nothing was checked, and
# fails only if REQUIRE_VULNERABILITY_DATABASE is set, as the workflows in .github do.
#
# usage: vulnerabilities.sh GOVULNCHECK
set -euo pipefail
cd "$(dirname "$0")/../.."

# One module is looked up before anything is loaded, which takes minutes.
if ! probe=$("$1" -format json -mode query golang.org/x/text@v0.3.0 2>&1) && [[ -z ${REQUIRE_VULNERABILITY_DATABASE:-} ]]; then
	printf 'vulnerabilities: NOT CHECKED: the database cannot be reached: %s\n' "${probe##*$'\n'}" >&2
	exit 0
fi

status=0
for module in . test/clients examples/driver-author; do
	if ! "$1" -C "$module" -test ./...; then
		echo "vulnerabilities: found in $module, or not checked" >&2
		status=1
	fi
done
exit $status
