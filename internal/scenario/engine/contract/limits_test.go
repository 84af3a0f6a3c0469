package contract

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestLimits runs scenarios that exceed their limits. This is no judgement of COSI, and so no
// failure.
func TestLimits(t *testing.T) {
	t.Parallel()
	e := engine.New(emulatortest.Start(t, emulator.Options{}), engine.Options{})
	const put = "- backend: {createBucket: \"${scope}-b\"}\n" +
		"- backend: {put: {bucket: \"${scope}-b\", key: k, content: abc}}\n"
	tests := map[string]struct {
		reason, scenario string
		want             outcome.Outcome
		says             []string
	}{
		"Objects": {
			reason: "The third is too many.", want: outcome.Broken, says: []string{"s.yaml:9:7: ", "setup.limits.objects", "(2)"},
			scenario: "setup: {limits: {objects: 2}}\nsteps:\n- repeat:\n    times: 3\n" +
				"    steps:\n    - apply: {kind: ConfigMap, metadata: {name: \"a-${index}\"}}\n",
		},
		"Same": {
			reason: "One object, three times.", want: outcome.Passed,
			scenario: "setup: {limits: {objects: 1}}\nsteps: [{repeat: {times: 3, steps: [{apply: {kind: ConfigMap, metadata: {name: a}}}]}}]\n",
		},
		"Puts": {
			reason: "The second is too many.", want: outcome.Broken, says: []string{"setup.limits.puts", "(1)"},
			scenario: "setup: {limits: {puts: 1}}\nsteps:\n" + put + "- backend: {put: {bucket: \"${scope}-b\", key: l, content: d}}\n",
		},
		"PutBytes": {
			reason: "Three bytes.", want: outcome.Broken, says: []string{"3 bytes", "setup.limits.putBytes", "(2)"},
			scenario: "setup: {limits: {putBytes: 2}}\nsteps:\n" + put,
		},
		"Enough": {
			reason: "Exactly as much as may be.", want: outcome.Passed,
			scenario: "setup: {limits: {puts: 1, putBytes: 3}}\nsteps:\n" + put + "- backend: {deleteBucket: \"${scope}-b\"}\n",
		},
		"Duration": {
			reason: "What it waits for does not come, and the step would wait longer.", want: outcome.Broken,
			says:     []string{"setup.limits.duration", "(50ms)", "Secret/none"},
			scenario: "setup: {limits: {duration: 50ms}}\nsteps: [{expect: {Secret/none: present}}]\n",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := e.Run(t.Context(), parse(t, tc.scenario))
			if got.Outcome != tc.want {
				t.Errorf("%s\n%s, want %s\n%s", tc.reason, got.Outcome, tc.want, explain(got))
			}
			for _, words := range tc.says {
				if !strings.Contains(explain(got), words) {
					t.Errorf("%s\nit does not say %q:\n%s", tc.reason, words, explain(got))
				}
			}
		})
	}
}

// TestDriverParameters verifies that a driver gives its parameters to a bucket whose class has
// none.
func TestDriverParameters(t *testing.T) {
	t.Parallel()
	e := engine.New(emulatortest.Start(t, emulator.Options{}), engine.Options{})
	got := e.Run(t.Context(), parse(t, `
setup:
  drivers: [{name: one, parameters: {region: moon-1, nonEmptyDeletion: purge}}]
  classes: [{name: plain}, {name: own, parameters: {region: mars-1}}]
steps:
- forEach:
    in: [{class: plain, region: moon-1}, {class: own, region: mars-1}]
    steps:
    - apply:
        kind: BucketClaim
        metadata: {name: "${row.class}"}
        spec: {bucketClassName: "${classes[row.class]}", protocols: [S3]}
    - expect: {"BucketClaim/${row.class}": {status: {readyToUse: true}}}
      as: claim
    - backend:
        put: {bucket: "${claim.status.boundBucketName}", key: goes, content: with the bucket}
        buckets: {"${claim.status.boundBucketName}": {region: "${row.region}", purge: true}}
`))
	if got.Outcome != outcome.Passed {
		t.Error(explain(got))
	}
}
