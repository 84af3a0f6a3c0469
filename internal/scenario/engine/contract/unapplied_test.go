package contract

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

var scopes = regexp.MustCompile(`story-\d+`)

// TestUnappliedFault verifies that scenarios pass only if their faults were applied.
func TestUnappliedFault(t *testing.T) {
	t.Parallel()
	e := engine.New(emulatortest.Start(t, emulator.Options{}), engine.Options{})
	const claim = "\n- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: \"${class}\", protocols: [S3]}}" +
		"\n- expect: {BucketClaim/photos: {status: {readyToUse: true}}}\n"
	const inject = "- inject: {name: f, seam: rpc, operation: DriverCreateBucket, "
	const advice = "; correct its match, or set optional: true"
	tests := map[string]struct {
		reason, steps string
		want          []string
	}{
		"Applied": {
			reason: "The fault was applied once.",
			steps:  inject + "fail: Unavailable, times: 1}" + claim,
		},
		"Healed": {
			reason: "It was applied before it was healed.",
			steps:  inject + "fail: Unavailable, times: 1}" + claim + "- heal: f",
		},
		"HealedBeforeItsOperation": {
			reason: "A fault stays until its operation, which comes after the steps.",
			steps: "- inject: {name: slow, seam: api, component: controller, operation: delete buckets, delay: 100ms, times: 1}\n" +
				"- inject: {name: f, seam: rpc, operation: DriverDeleteBucket, fail: Unavailable, times: 1}" + claim +
				"- delete: [BucketClaim/photos]\n- heal: f",
		},
		"AfterTheLastStep": {
			reason: "The components go on after the last step: they delete the bucket that it was about.",
			steps: "- inject: {name: slow, seam: api, component: controller, operation: delete buckets, delay: 100ms, times: 1}\n" +
				"- inject: {name: f, seam: rpc, operation: DriverDeleteBucket, fail: Unavailable, times: 1}" + claim +
				"- delete: [BucketClaim/photos]",
		},
		"Never": {
			reason: "The seam has no such operation.",
			steps:  "- inject: {name: f, seam: rpc, operation: DriverDeleteBucket, fail: Unavailable}" + claim,
			want: []string{`s.yaml:5:3: fault "f" was applied to no operation: the journal has no "rpc DriverDeleteBucket" ` +
				"while it was in force" + advice},
		},
		"TooFew": {
			reason: "There are fewer operations than it waits for.",
			steps:  inject + "nth: 9, fail: Unavailable}" + claim,
			want:   []string{`s.yaml:5:3: fault "f" was applied to no operation: it matched 1, and applies from number 9 on` + advice},
		},
		"OtherSubject": {
			reason: "The operation is about something else.",
			steps: "- call: {method: DriverGetInfo}\n" + inject + "component: driver, subject: nothing, fail: Unavailable}\n" +
				"- call: {method: DriverCreateBucket, request: {bucketId: \"${scope}-raw\", protocols: [{type: S3}]}}",
			want: []string{`s.yaml:6:3: fault "f" was applied to no operation: of "rpc DriverCreateBucket" the journal has ` +
				"driver DriverCreateBucket SCOPE-raw" + advice},
		},
		"HealedTooEarly": {
			reason: "A step that heals it fails, and no step follows.",
			steps:  inject + "fail: Unavailable}\n- heal: f" + claim,
			want: []string{`s.yaml:5:3: fault "f" was applied to no operation: the journal has no "rpc DriverCreateBucket" ` +
				"while it was in force" + advice},
		},
		"Optional": {
			reason: "The scenario accepts it.",
			steps:  inject + "nth: 9, fail: Unavailable, optional: true}" + claim,
		},
		"FailedBefore": {
			reason: "The scenario has not come to what the fault is for.",
			steps:  inject + "fail: Unavailable}\n- backend: {buckets: {none: present}}",
			want:   []string{`s.yaml:6:3: backend bucket "none": condition not met`},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			result := e.Run(t.Context(), parse(t, "steps:\n"+tc.steps))
			var got []string
			for _, failure := range result.Failures {
				got = append(got, scopes.ReplaceAllString(failure.Error(), "SCOPE"))
			}
			if tc.want != nil && result.Outcome != outcome.Failed {
				t.Errorf("%s: %s, want failed", tc.reason, result.Outcome)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nfailures (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
