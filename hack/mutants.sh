#!/usr/bin/env bash
# mutants.sh build NAME OUT: build cosi-emu with the bug of test/mutants/patches/NAME.patch.
# mutants.sh compile NAME: compile the packages that the patch changes, with the bug.
# mutants.sh check: check that every patch applies.
# The patched files are put in place of the originals by 'go build -overlay': no file of the
# tree changes.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
patches=test/mutants/patches

case "${1:-}" in
check)
  failed=0
  for patch in "$patches"/*.patch; do
    git apply --check "$patch" || { echo "$patch does not apply: adapt it to the code, and check that exploration still finds the bug" >&2; failed=1; }
  done
  exit "$failed"
  ;;
build | compile)
  patch=$patches/$2.patch
  [ -f "$patch" ] || { echo "mutants.sh: $patch not found; there are $(cd "$patches" && echo *.patch)" >&2; exit 2; }
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  files=$(git apply --numstat "$patch" | cut -f3)
  replaced=()
  for file in $files; do
    mkdir -p "$dir/$(dirname "$file")"
    cp "$file" "$dir/$file"
    replaced+=("\"$PWD/$file\": \"$dir/$file\"")
  done
  (cd "$dir" && GIT_CEILING_DIRECTORIES=$(dirname "$dir") git apply "$OLDPWD/$patch")
  printf '{"Replace": {%s}}\n' "$(IFS=,; echo "${replaced[*]}")" >"$dir/overlay.json"
  if [ "$1" = compile ]; then
    go build -overlay "$dir/overlay.json" $(printf './%s\n' $files | xargs -n1 dirname | sort -u)
    exit
  fi
  go build -ldflags '-s -w' -overlay "$dir/overlay.json" -o "$3" ./cmd/cosi-emu
  ;;
*)
  echo "usage: mutants.sh check | mutants.sh compile NAME | mutants.sh build NAME OUT" >&2
  exit 2
  ;;
esac
