#!/usr/bin/env bash
# Fails on files that name the machine they were written on: a home or working
# directory. The home of "me" stands for everybody's.
set -euo pipefail
cd "$(dirname "$0")/../.."

pattern='(^|[^A-Za-z0-9_.~/}-])/([r]oot|[w]ork|home/[a-z]+|Users/[A-Za-z]+)/'
if git grep -nIE --untracked -e "$pattern" | grep -vF /home/me/; then
	echo 'these lines name a directory of one machine' >&2
	exit 1
fi
