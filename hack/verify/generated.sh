#!/usr/bin/env bash
# Fails when `make generate` would change, add or remove a file. It generates in
# a copy, so that the working tree, committed or not, stays as it is.
#
# usage: generated.sh MAKE DIRECTORY-OF-TOOLS
set -euo pipefail
make=$1 tools=$2
cd "$(dirname "$0")/../.."

copies=$(mktemp -d)
trap 'rm -rf "$copies"' EXIT
mkdir "$copies/have" "$copies/want"

git ls-files -z --cached --others --exclude-standard |
	while IFS= read -r -d '' file; do
		if [ -f "$file" ]; then printf '%s\0' "$file"; fi
	done | tar --null -T - -cf "$copies/tree.tar"
tar -xf "$copies/tree.tar" -C "$copies/have"
tar -xf "$copies/tree.tar" -C "$copies/want"

# The tools are those of the working tree. tar has kept the times of the files
# that they are made of, so none is built again.
"$make" -C "$copies/want" --no-print-directory generate BIN="$tools"
if ! diff -ru "$copies/have" "$copies/want"; then
	echo 'generated files are out of date, run: make generate' >&2
	exit 1
fi
