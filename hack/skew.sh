#!/usr/bin/env bash
# Runs controller and sidecar of a previous build beside those of bin/cosi-emu, in every pair, and has bin/cosi-emu judge and
# replay what the previous build has recorded. The previous build is $PREVIOUS, or the last release, or the commit in
# test/skew/previous as long as there is no release.
#
# With $RECORDINGS, a directory of recordings that a released program has made (make release-recordings), nothing is built:
# bin/cosi-emu judges and replays these.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
out=$PWD/bin/skew
old=$out/previous new=$PWD/bin/cosi-emu
status=0

fail() {
	echo "test-skew: $*" >&2
	exit 1
}

# run_pairs builds the previous program, runs it beside the new one, and has it record its suite in the directory $1.
run_pairs() {
	local ref commit
	ref=${PREVIOUS:-$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || grep -v '^#' test/skew/previous)}
	commit=$(git rev-parse --quiet --verify "$ref^{commit}") ||
		fail "the clone has no commit $ref: fetch it with its history, or choose another one: make test-skew PREVIOUS=REF"
	echo "test-skew: build the previous program, $ref, of commit $commit"
	rm -rf "$out"
	mkdir -p "$out/source"
	git archive "$commit" | tar -x -C "$out/source"
	"$go" build -C "$out/source" -buildvcs=false -o "$old" ./cmd/cosi-emu
	rm -rf "$out/source"
	"$go" test ./test/skew -vet=off -v -count 1 -timeout 60m -run '^TestLongSkew$' ${TESTFLAGS:-} -args -previous "$old" -current "$new"
	"$old" run --suite --control-plane embedded --record "$1" ||
		echo "test-skew: the previous build fails in its own suite" >&2
}

# judge reads and judges all recordings. Another judgement is printed, because oracles become stricter. Without the previous
# program, it is the success of the run that was recorded.
judge() {
	local recording was is
	mkdir -p "$out"
	for recording in "$1"/*.cosirec; do
		was=0 is=0
		if [ -z "${RECORDINGS:-}" ]; then
			"$old" replay "$recording" --as judge >/dev/null 2>&1 || was=$?
		fi
		"$new" replay "$recording" --as judge >"$out/judged" 2>&1 || is=$?
		if [ "$was" != "$is" ]; then
			echo "test-skew: $recording: expected exit code $was of its judgement, got $is:" >&2
			cat "$out/judged" >&2
		fi
		[ "$is" -le 1 ] || status=1
	done
}

# replay expects that this build acts as the previous one in the base life of a claim and an access, operation by operation.
replay() {
	local name recordings replayed=0
	for name in {,v1alpha1-}{lifecycle,key-access,access-first,bucket-first,all-at-once}; do
		recordings=("$1/$name".*.cosirec)
		if grep -q "^$name " test/skew/changed || { [ -n "${RECORDINGS:-}" ] && [ ! -e "${recordings[0]}" ]; }; then
			continue
		fi
		"$new" replay "${recordings[0]}" --control-plane embedded || status=1
		replayed=$((replayed + 1))
	done
	echo "test-skew: replayed $replayed recordings of $1"
	[ "$replayed" -gt 0 ] || fail "$1 has no recording that can be replayed: record the suite with make release-recordings"
}

if [ -n "${RECORDINGS:-}" ]; then
	recordings=$RECORDINGS
	compgen -G "$recordings/*.cosirec" >/dev/null || fail "the directory RECORDINGS=$recordings has no file *.cosirec"
else
	recordings=$out/recordings
	run_pairs "$recordings"
fi
judge "$recordings"
replay "$recordings"
exit "$status"
