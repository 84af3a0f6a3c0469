#!/usr/bin/env bash
# Fails on files that name the machine they were written on: a home or working
# directory, or a private module proxy.
set -euo pipefail
cd "$(dirname "$0")/../.."

patterns=(-e '(^|[^A-Za-z0-9_.~/}-])/([r]oot|[w]ork|home/[a-z]+|Users/[A-Za-z]+)/')

# Hosts of a module proxy other than the public one.
while IFS= read -r host; do
	patterns+=(-e "${host//./\\.}")
done < <(go env GOPROXY | tr ',|' '\n\n' |
	sed -nE 's#^[a-z]+://([^/@]*@)?([^/:]+).*#\2#p' | grep -vxF proxy.golang.org)

if git grep -nIE --untracked "${patterns[@]}"; then
	echo 'these lines name a directory or a host of one machine' >&2
	exit 1
fi
