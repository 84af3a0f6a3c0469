package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// parse reads a scenario that consists of the given setup and steps.
func parse(tb testing.TB, text string) *spec.Scenario {
	tb.Helper()
	all, err := spec.Loader{}.Parse("s.yaml", []byte("apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: story\n"+text))
	if err != nil {
		tb.Fatal(err)
	}
	return all[0]
}

func explain(r outcome.Result) string {
	var text strings.Builder
	for _, failure := range r.Failures {
		fmt.Fprintf(&text, "%s\n", failure.Error())
		for _, difference := range failure.Differences {
			fmt.Fprintf(&text, "  %s\n", difference)
		}
		if failure.Got != "" {
			fmt.Fprintf(&text, "expected:\n%s\ngot:\n%s\n", failure.Expected, failure.Got)
		}
	}
	return text.String()
}

const lifecycle = `
steps:
- apply:
  - kind: BucketClaim
    metadata: {name: photos}
    spec: {bucketClassName: "${class}", protocols: [S3]}
  - kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims:
      - {bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}
- expect:
    BucketClaim/photos: {status: {readyToUse: true, boundBucketName: present}}
    BucketAccess/app: {status: {readyToUse: true, conditions: [{type: Provisioned, status: "True"}]}}
    Secret/key: {data: {COSI_PROTOCOL: present}}
- s3: {secret: key, put: hello, content: world}
- s3: {secret: key, get: hello, content: world}
- s3: {secret: key, list: "", keys: [hello]}
- s3: {secret: key, get: nothing, code: NoSuchKey}
- s3: {secret: key, presignPut: signed, content: x}
- s3: {secret: key, presignGet: signed, content: x}
- calls:
    events:
    - {operation: DriverCreateBucket, count: 1, outcome: OK}
    - {operation: DriverGrantBucketAccess, count: 1, outcome: OK}
- settle:
- delete: [BucketAccess/app, BucketClaim/photos]
- expect:
    BucketAccess/app: absent
    BucketClaim/photos: absent
    Secret/key: absent
- backend: {only: true}
`

func TestRun(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	e := engine.New(emu, engine.Options{})
	tests := map[string]struct {
		reason, scenario string
		want             outcome.Outcome
		message          string
	}{
		"Lifecycle": {reason: "The whole of COSI.", scenario: lifecycle, want: outcome.Passed},
		"TwoDrivers": {
			reason: "Drivers of its own, with classes made for them.",
			scenario: "setup:\n  drivers: [{name: one}, {name: two}]\n" +
				"  classes: [{name: a, parameters: {nonEmptyDeletion: purge}}, {name: b, driver: two, deletionPolicy: Retain}]\n" + lifecycle,
			want: outcome.Passed,
		},
		"Different": {
			reason: "Says what is different.", want: outcome.Failed, message: "Secret/none: condition not met",
			scenario: "steps: [{expect: {Secret/none: present}, timeout: 100ms}]",
		},
		"Hasty": {
			reason: "However short the time, it is looked at once.", want: outcome.Failed,
			message: "condition not met after 1µs\n  data.k: want w, got v",
			scenario: `
steps:
- apply: {kind: ConfigMap, metadata: {name: a}, data: {k: v}}
- {expect: {ConfigMap/a: {data: {k: v}}, ConfigMap/b: absent}, timeout: 1us}
- {expect: {ConfigMap/a: {data: {k: w}}}, timeout: 1us}
`,
		},
		"HastyAlways": {
			reason: "An object that was not read does not match.", want: outcome.Failed, message: "condition no longer met",
			scenario: "steps: [{always: {objects: {ConfigMap/none: present}, for: 1us}}]",
		},
		"Rejected": {
			reason: "The API server says no.", want: outcome.Failed, message: "was rejected",
			scenario: "steps: [{apply: {kind: BucketClaim, metadata: {name: a}, spec: {existingBucketName: 'B${class}'}}}]",
		},
		"Left": {
			reason: "What cannot be deleted is a failure.", want: outcome.Failed, message: "not deleted after",
			scenario: "steps: [{apply: {kind: ConfigMap, metadata: {name: a, finalizers: [example.com/stuck]}}}]",
		},
		"Loops": {
			reason: "Rows and indices in names.", want: outcome.Passed,
			scenario: `
steps:
- forEach:
    in: [a, b]
    steps:
    - repeat: {times: 2, steps: [{apply: {kind: ConfigMap, metadata: {name: "${row}-${index}"}, data: {k: "${row}"}}}]}
- parallel:
  - [{expect: {ConfigMap/a-0: {data: {k: a}}}}]
  - [{expect: {ConfigMap/b-1: {data: {k: b}}}}]
- {expect: {ConfigMap/c: present}, when: "ns == 'nowhere'"}
- {delete: ConfigMap/a-0}
- {expect: {ConfigMap/a-0: absent}}
`,
		},
		"Crash": {
			reason: "A crash in the middle.", want: outcome.Passed,
			scenario: strings.Replace(lifecycle, "- expect:\n", "- crash: [sidecar, controller]\n- expect:\n", 1),
		},
		"Always": {
			reason: "It does not hold.", want: outcome.Failed, message: "condition no longer met",
			scenario: `
steps:
- apply: {kind: ConfigMap, metadata: {name: a}, data: {k: v}}
- always:
    objects: {ConfigMap/a: {data: {k: v}}}
    while: [{patch: {ConfigMap/a: {data: {k: w}}}}, {expect: {ConfigMap/a: {data: {k: x}}}}]
`,
		},
		"Call": {
			reason: "A raw call, rejected as expected.", want: outcome.Passed,
			scenario: `
steps:
- call: {method: DriverGetInfo, response: {name: "${driver}"}}
- call: {method: DriverDeleteBucket, request: {bucketId: ""}, code: InvalidArgument}
- call: {method: DriverDeleteBucket, request: {bucket_id: none}}
- call: {method: DriverGenerateBucketId, request: {name: a}, response: {bucketId: present}}
  as: generated
- call: {method: DriverDeleteBucket, request: {bucketId: "${generated.bucketId}"}}
`,
		},
		"WrongCall": {
			reason: "Not the code that was expected.", want: outcome.Failed, message: "the driver returned InvalidArgument",
			scenario: "steps: [{call: {method: DriverDeleteBucket, request: {bucketId: ''}}}]",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := e.Run(t.Context(), parse(t, tc.scenario))
			if got.Outcome != tc.want || !strings.Contains(explain(got), tc.message) {
				t.Errorf("%s\n%s, want %s with %q\n%s", tc.reason, got.Outcome, tc.want, tc.message, explain(got))
			}
			t.Logf("%s in %s", got.Outcome, got.Duration)
		})
	}
}
