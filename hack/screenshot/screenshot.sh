#!/usr/bin/env bash
# Runs a scenario and takes the screenshot of its HTML report for the README. Needs
# Chromium ($CHROMIUM, or chromium or google-chrome in the PATH); pngquant, if it is
# installed, makes the file smaller.
#
# usage: screenshot.sh COSI-EMU IMAGE
set -euo pipefail
program=$(realpath "$1") image=$(realpath "$2")
cd "$(dirname "$0")"

chromium=${CHROMIUM:-$(command -v chromium || command -v google-chrome)} || {
	echo 'Chromium is not installed; set CHROMIUM to its path' >&2
	exit 1
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$program" run crash.yaml --report html="$dir/report.html"
"$chromium" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
	--disable-background-networking --disable-component-update --disable-sync \
	--user-data-dir="$dir/profile" --hide-scrollbars --window-size=1280,860 \
	--screenshot="$dir/report.png" "file://$dir/report.html" 2>"$dir/chromium.log" || {
	cat "$dir/chromium.log" >&2
	exit 1
}
if command -v pngquant >/dev/null; then
	pngquant --force --skip-if-larger --output "$dir/report.png" 128 "$dir/report.png"
fi
cp "$dir/report.png" "$image"
ls -l "$image"
