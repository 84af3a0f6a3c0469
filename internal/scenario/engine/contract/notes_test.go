package contract

import (
	"regexp"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestNotes lets steps time out. Each failure names the reason. A repeated call is no finding of
// its own.
func TestNotes(t *testing.T) {
	t.Parallel()
	const (
		apply = `
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
`
		expect = `
- expect: {BucketClaim/photos: {status: {readyToUse: true}}}
  timeout: 2s
`
	)
	tests := map[string]struct {
		reason, inject string
		meanwhile      string // steps before the expectation
		want           string
	}{
		"Hangs": {
			reason: "The driver does not answer, and the sidecar waits.",
			inject: `{name: f, seam: rpc, component: driver, operation: DriverCreateBucket, hang: true}`,
			want:   `^DriverCreateBucket has not answered for [0-9.m]+s \(call of sidecar about bc-`,
		},
		"Ends": {
			reason: "The driver's process ends in the call, and does not come back.",
			inject: `{name: f, seam: rpc, component: driver, operation: DriverCreateBucket, crash: before, down: 1m}`,
			want:   `^the driver's process ended during DriverCreateBucket`,
		},
		"Crashed": {
			reason: "The controller is down.",
			inject: `{name: f, seam: api, component: controller, operation: create buckets, crash: before, down: 1m}`,
			want:   `^the process of controller ended \(crash\) .* ago; it is not ready again$`,
		},
		"CrashedBefore": {
			reason:    "The controller is down before the step that fails begins.",
			inject:    `{name: f, seam: api, component: controller, operation: create buckets, crash: before, down: 1m}`,
			meanwhile: `- calls: {events: [{seam: process, component: controller, operation: crash}]}`,
			want:      `^the process of controller ended \(crash\) .* ago; it is not ready again$`,
		},
		"APIHangs": {
			reason: "The API server does not answer.",
			inject: `{name: f, seam: api, component: controller, operation: create buckets, hang: true}`,
			want:   `^create buckets has not answered for .* \(call of controller about bc-`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			emu := emulatortest.Start(t, emulator.Options{})
			result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, "steps:\n- inject: "+tc.inject+apply+tc.meanwhile+expect))
			if result.Outcome != outcome.Failed || result.Failures[0].Step == nil || result.Failures[0].Step.Verb != "expect" {
				t.Fatalf("%s\n%s, want the expectation to fail:\n%s", tc.reason, result.Outcome, explain(result))
			}
			if notes := result.Failures[0].Notes; !slices.ContainsFunc(notes, regexp.MustCompile(tc.want).MatchString) {
				t.Errorf("%s\nnotes %q, want one like %q", tc.reason, notes, tc.want)
			}
			if slices.ContainsFunc(result.Failures, func(f outcome.Failure) bool { return f.Oracle == vocabulary.Silence }) {
				t.Errorf("%s\nthere is a finding of silence beside it:\n%s", tc.reason, explain(result))
			}
		})
	}
}

// TestNoteOfFailedExpression: an expression that has no result for a value is the author's mistake, which the values do
// not show.
func TestNoteOfFailedExpression(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, `steps:
- apply: {kind: ConfigMap, metadata: {name: settings}, data: {size: "5"}}
- expect: {ConfigMap/settings: {data: {size: {cel: self > 3}}}}
  timeout: 1s
`))
	const want = "data.size: want self > 3 (self > 3: no such overload), got 5"
	if result.Outcome != outcome.Failed || !slices.Contains(result.Failures[0].Notes, want) {
		t.Errorf("%s, want a failure with the note %q:\n%s", result.Outcome, want, explain(result))
	}
}
