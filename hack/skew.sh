#!/usr/bin/env bash
# Runs controller and sidecar of a previous build beside those of bin/cosi-emu, in every pair, and has bin/cosi-emu judge and
# replay what the previous build has recorded. The previous build is $PREVIOUS, or the last release, or the commit in
# test/skew/previous as long as there is no release. Without that commit in the clone nothing runs.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
out=$PWD/bin/skew
old=$out/previous new=$PWD/bin/cosi-emu

ref=${PREVIOUS:-$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || grep -v '^#' test/skew/previous)}
if ! commit=$(git rev-parse --quiet --verify "$ref^{commit}"); then
	echo "test-skew: NOT RUN: the clone has no commit $ref; fetch it, or choose another: make test-skew PREVIOUS=REF" >&2
	exit 0
fi
echo "test-skew: build the previous program, $ref, of commit $commit"
rm -rf "$out"
mkdir -p "$out/source"
git archive "$commit" | tar -x -C "$out/source"
"$go" build -C "$out/source" -buildvcs=false -o "$old" ./cmd/cosi-emu
rm -rf "$out/source"

"$go" test ./test/skew -vet=off -v -count 1 -timeout 60m -run '^TestLongSkew$' ${TESTFLAGS:-} -args -previous "$old" -current "$new"

# The recordings of the previous build are the reference. This build reads and judges all of them; another judgement is
# printed, because oracles become stricter.
status=0
recordings=$out/recordings
"$old" run --suite --control-plane embedded --record "$recordings" ||
	echo "test-skew: the previous build fails in its own suite" >&2
for recording in "$recordings"/*.cosirec; do
	was=0 is=0
	"$old" replay "$recording" --as judge >/dev/null 2>&1 || was=$?
	"$new" replay "$recording" --as judge >"$out/judged" 2>&1 || is=$?
	if [ "$was" != "$is" ]; then
		echo "test-skew: $recording: the previous build judges it with exit code $was, this one with $is:" >&2
		cat "$out/judged" >&2
	fi
	[ "$is" -le 1 ] || status=1
done

# It acts as the previous one in the base life of a claim and an access, operation by operation.
for name in {,v1alpha1-}{lifecycle,key-access,access-first,bucket-first,all-at-once}; do
	if grep -q "^$name " test/skew/changed; then
		continue
	fi
	"$new" replay "$recordings/$name".*.cosirec --control-plane embedded || status=1
done
exit "$status"
