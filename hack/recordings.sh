#!/usr/bin/env bash
# Has the program of a release record the suite, and packs the recordings: hack/recordings.sh VERSION. They are the reference
# of later builds: make test-skew RECORDINGS=DIR. The program is in the archive for this machine, in bin/release/VERSION.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-}
go=${GO:-go}
archive=bin/release/$version/cosi-emu_${version}_$("$go" env GOOS)_$("$go" env GOARCH).tar.gz
if [ -z "$version" ] || [ ! -f "$archive" ]; then
	echo "release-recordings: there is no archive $archive: run make release VERSION=VERSION, and give the same VERSION" >&2
	exit 1
fi
out=bin/recordings/$version
rm -rf "$out"
mkdir -p "$out/program" "$out/recordings"
tar -xzf "$archive" -C "$out/program"
program=$(find "$out/program" -name cosi-emu -type f -perm -u+x)
"$program" run --suite --control-plane embedded --record "$out/recordings"
rm -rf "$out/program"
tar -czf "bin/recordings/cosi-emu_${version}_recordings.tar.gz" -C "$out/recordings" .
echo "release-recordings: $out/recordings, packed in bin/recordings/cosi-emu_${version}_recordings.tar.gz"
