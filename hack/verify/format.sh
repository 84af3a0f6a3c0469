#!/usr/bin/env bash
# Fails on Go files that gofmt would change.
set -euo pipefail
cd "$(dirname "$0")/../.."

unformatted=$(git ls-files -z --cached --others --exclude-standard -- '*.go' |
	while IFS= read -r -d '' file; do
		if [ -f "$file" ]; then gofmt -s -l "$file"; fi
	done)
if [ -n "$unformatted" ]; then
	printf 'not formatted, run: make fmt\n%s\n' "$unformatted" >&2
	exit 1
fi
