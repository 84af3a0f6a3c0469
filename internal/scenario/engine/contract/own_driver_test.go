package contract

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// inspected is a backend whose contents only its test reads.
type inspected interface {
	fakedriver.Backend
	Buckets(ctx context.Context) ([]fakedriver.Bucket, error)
	Accounts(ctx context.Context) ([]fakedriver.Account, error)
}

// TestOwnDriver runs scenarios on the user's driver behind a socket. It replaces the driver of a
// setup, its calls show the contents of its backend, and the clean-up leaves nothing.
func TestOwnDriver(t *testing.T) {
	t.Parallel()
	var backend inspected
	socket := drivertest.ServeWithStore(t, "own.test", func(b fakedriver.Backend) fakedriver.Backend {
		backend = b.(inspected) //nolint:forcetypeassert // it is the store
		return b
	}, func(*http.Request) {})
	emu := emulatortest.Start(t, emulator.Options{Driver: socket})
	const one = "setup: {drivers: [{name: one}]}\nsteps:"
	for name, tc := range map[string]struct {
		text    string
		options engine.Options
		outcome outcome.Outcome
		says    string // a failure, or the reason
	}{
		"Part": {text: one + granted + `
- backend: {buckets: {"${claim.status.boundBucketName}": {owner: whoever}}, accounts: {"${access.status.accountID}": present}, only: true}
- crash: "sidecar.${drivers.one}"
- calls: {events: [{seam: process, component: "sidecar.${drivers.one}", operation: crash, count: 1}]}
- delete: [BucketAccess/app, BucketClaim/photos]
- expect: {BucketAccess/app: absent, BucketClaim/photos: absent}
- backend: {buckets: {"${claim.status.boundBucketName}": absent}, accounts: {}, only: true}
`, outcome: outcome.Passed},
		"Objects": {text: one + granted + "- s3: {secret: key, put: a/b, content: hello}\n", outcome: outcome.Passed},
		"Retained": {
			text: "setup: {classes: [{name: kept, deletionPolicy: Retain}], accessClasses: [{name: keys}]}\nsteps:" + granted +
				"- s3: {secret: key, put: a/b, content: hello}\n" +
				"- delete: [BucketAccess/app, BucketClaim/photos]\n- expect: {BucketClaim/photos: absent}\n" +
				"- backend: {buckets: {\"${claim.status.boundBucketName}\": present}}\n", outcome: outcome.Passed,
		},
		"Fault": {
			text: one + "\n- inject: {name: away, seam: rpc, component: \"sidecar.${drivers.one}\", operation: DriverCreateBucket, " +
				"fail: Unavailable, times: 1}" + claimed, outcome: outcome.Passed,
		},
		"Called": {text: "steps:\n" + `
- call: {method: DriverCreateBucket, request: {bucketId: "b-${scope}", protocols: [{type: S3}]}}
- backend: {buckets: {"b-${scope}": present}}
- backend: {deleteBucket: "b-${scope}"}
- backend: {buckets: {"b-${scope}": absent}}
`, outcome: outcome.Passed},
		"Unexpected": {
			text: one + claimed + "- {backend: {only: true}, timeout: 1s}\n", outcome: outcome.Failed, says: "unexpected backend bucket",
		},
		"Missing": {
			text:    one + claimed + "- {backend: {buckets: {absent: present}}, timeout: 1s}\n",
			outcome: outcome.Failed, says: `backend bucket "absent"`,
		},
		"NoS3": {
			text: one + granted + "- s3: {secret: none, get: absent}\n", options: engine.Options{NoS3: true}, outcome: outcome.Passed,
		},
		"Store":   {text: "steps:\n- inject: {name: f, seam: store, fail: SlowDown}\n", outcome: outcome.Skipped, says: "disturbs the store"},
		"Stopped": {text: one + "\n- crash: \"driver.${drivers.one}\"\n", outcome: outcome.Skipped, says: "driver's process"},
		"Changed": {text: "steps:\n- backend: {createBucket: b}\n", outcome: outcome.Skipped, says: "changes the backend"},
		"Two":     {text: "setup: {drivers: [{name: a}, {name: b}]}\nsteps: [{settle: }]\n", outcome: outcome.Skipped, says: "several drivers"},
		"Token": {
			text:    "steps:\n- s3: {secret: key, get: a, serviceAccount: b, access: c}\n",
			outcome: outcome.Skipped, says: "token of a ServiceAccount",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := engine.New(emu, tc.options).Run(t.Context(), parse(t, tc.text))
			said := result.Reason + explain(result)
			if result.Outcome != tc.outcome || !strings.Contains(said, tc.says) {
				t.Errorf("%s, want %s that says %q:\n%s", result.Outcome, tc.outcome, tc.says, said)
			}
			expectEmpty(t, backend)
		})
	}
}

// TestLimitedDriver: all that a scenario makes for the user's driver has the parameters that it requires. A
// scenario is skipped with the driver's answer if the driver has left out what it requires.
func TestLimitedDriver(t *testing.T) {
	t.Parallel()
	socket := drivertest.ServeFake(t, "limited.test", "http://127.0.0.1:1", func(o *fakedriver.Options) {
		o.SingleBucket, o.AccessModes = true, []fakedriver.AccessMode{fakedriver.ReadWrite}
	})
	emu := emulatortest.Start(t, emulator.Options{
		Driver: socket, BucketParameters: map[string]string{"note": "b", "tags": "a=b"}, AccessParameters: map[string]string{"note": "a"},
	})
	reader := strings.ReplaceAll("steps:"+granted, "ReadWrite", "ReadOnly")
	labelled := "labels: {bridge: access-modes}\n"
	for name, tc := range map[string]struct {
		text    string
		outcome outcome.Outcome
		says    string // a failure, or the reason
	}{
		"Default": {
			text: "steps:" + granted + `
- calls: {events: [{operation: DriverCreateBucket, request: {parameters: {cel: "self == {'note': 'b', 'tags': 'a=b'}"}}}]}
- calls: {events: [{operation: DriverGrantBucketAccess, request: {parameters: {cel: "self == {'note': 'a'}"}}}]}
`, outcome: outcome.Passed,
		},
		"Setup": {
			text: "setup: {classes: [{name: own, parameters: {note: c}}], accessClasses: [{name: own}]}\nsteps:" + granted + `
- calls: {events: [{operation: DriverCreateBucket, request: {parameters: {cel: "self == {'note': 'c', 'tags': 'a=b'}"}}}]}
- calls: {events: [{operation: DriverGrantBucketAccess, request: {parameters: {cel: "self == {'note': 'a'}"}}}]}
`, outcome: outcome.Passed,
		},
		"Applied": {
			text: `steps:
- apply:
  - {kind: BucketClass, metadata: {name: "own-${scope}"}, spec: {driverName: "${driver}", deletionPolicy: Delete}}
  - {kind: BucketClass, metadata: {name: "other-${scope}"}, spec: {driverName: other.example, deletionPolicy: Delete}}
  - {kind: BucketAccessClass, metadata: {name: "own-${scope}"}, spec: {driverName: "${driver}", authenticationType: Key}}
- expect:
    BucketClass/own-${scope}: {spec: {parameters: {note: b}}}
    BucketClass/other-${scope}: {spec: {parameters: absent}}
    BucketAccessClass/own-${scope}: {spec: {parameters: {note: a}}}
`, outcome: outcome.Passed,
		},
		"Called": {
			text: `steps:
- call: {method: DriverCreateBucket, request: {bucketId: "b-${scope}", protocols: [{type: S3}]}}
- call: {method: DriverCreateBucket, request: {bucketId: "b-${scope}", protocols: [{type: S3}], parameters: {note: b, tags: a=b}}}
- call: {method: DriverCreateBucket, request: {bucketId: "b-${scope}", protocols: [{type: S3}], parameters: {note: c}}, code: AlreadyExists}
- call: {method: DriverDeleteBucket, request: {bucketId: "b-${scope}"}}
`, outcome: outcome.Passed,
		},
		"Buckets": {
			text: "steps:" + claimed + `
- apply: {kind: BucketClaim, metadata: {name: more}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- apply:
    kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: multi-bucket
      protocol: S3
      bucketClaims:
      - {bucketClaimName: photos, accessSecretName: a, accessModes: {objectData: ReadWrite}}
      - {bucketClaimName: more, accessSecretName: b, accessModes: {objectData: ReadWrite}}
- {expect: {BucketAccess/app: {status: {readyToUse: true}}}, timeout: 2s}
`, outcome: outcome.Skipped, says: "not support what it requires: DriverGenerateBucketAccessId -> OutOfRange: 2 buckets requested",
		},
		"Leftover": {
			text:    labelled + strings.Replace(reader, "metadata: {name: photos}", "metadata: {name: photos, finalizers: [example.com/mine]}", 1),
			outcome: outcome.Failed, says: "condition not met",
		},
		"Modes":      {text: labelled + reader, outcome: outcome.Skipped, says: "access mode ReadOnly is not supported"},
		"Unexpected": {text: reader, outcome: outcome.Failed, says: "condition not met"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.ReplaceAll(tc.text, "- expect: {Secret", "- timeout: 2s\n  expect: {Secret")
			result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, text))
			said := result.Reason + explain(result)
			if result.Outcome != tc.outcome || !strings.Contains(said, tc.says) {
				t.Errorf("%s, want %s that says %q:\n%s", result.Outcome, tc.outcome, tc.says, said)
			}
		})
	}
}

func expectEmpty(t *testing.T, backend inspected) {
	t.Helper()
	buckets, err := backend.Buckets(t.Context())
	if err != nil || len(buckets) > 0 {
		t.Errorf("buckets are left: %v, %v", buckets, err)
	}
	accounts, err := backend.Accounts(t.Context())
	if err != nil || len(accounts) > 0 {
		t.Errorf("accounts are left: %v, %v", accounts, err)
	}
}
