#!/usr/bin/env bash
# Runs `go mod` with the given arguments in every module of the repository.
set -euo pipefail
cd "$(dirname "$0")/../.."

status=0
while IFS= read -r file; do
	module=$(dirname "$file")
	if ! go -C "$module" mod "$@"; then
		echo "go mod $* failed in $module; run: make tidy" >&2
		status=1
	fi
done < <(git ls-files --cached --others --exclude-standard -- go.mod '*/go.mod')
exit $status
