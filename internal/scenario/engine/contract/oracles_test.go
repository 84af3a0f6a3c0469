package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

const (
	claimed = `
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- expect: {BucketClaim/photos: {status: {readyToUse: true}}}
  as: claim
`
	granted = claimed + `
- apply:
    kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims: [{bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}]
- expect: {Secret/key: {data: {BUCKET_NAME: present}}, BucketAccess/app: {status: {readyToUse: true}}}
  as: access
  name: granted
`
	// stripped deletes the Bucket of the backend's bucket by force.
	stripped = "steps:" + claimed + `
- stop: [sidecar]
- patch: {"Bucket/${claim.status.boundBucketName}": {metadata: {finalizers: null}}}
- delete: "Bucket/${claim.status.boundBucketName}"
` + lost
	// orphaned expects the same, without a step that does it.
	orphaned = "steps:" + claimed + "- {stop: [sidecar], name: granted}\n" + lost
	lost     = `
- expect: {"Bucket/${claim.status.boundBucketName}": absent}
- start: [sidecar]
- expect: {BucketClaim/photos: {status: {conditions: [{type: Provisioned, status: "False"}]}}}
`
)

// TestOracles runs scenarios with and without findings of the oracles.
func TestOracles(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	tests := map[string]struct {
		reason, scenario string
		between          func(t *testing.T, namespace string) // after the step "granted"
		want             []string                             // the oracles of the failures
	}{
		"Retain": {
			reason: "What is retained is no leak, and is cleaned up.",
			scenario: "setup: {classes: [{name: kept, deletionPolicy: Retain}]}\nsteps:" + granted +
				"- delete: [BucketAccess/app, BucketClaim/photos]\n- expect: {BucketClaim/photos: absent}\n",
		},
		"Existing": {
			reason: "A bucket that was there before is neither leaked nor lost.",
			scenario: `
steps:
- backend: {createBucket: "${scope}-archive", put: {bucket: "${scope}-archive", key: old, content: data}}
- apply:
  - kind: Bucket
    metadata: {name: "archive.${scope}"}
    spec:
      driverName: ${driver}
      deletionPolicy: Retain
      existingBucketID: ${scope}-archive
      protocols: [S3]
      bucketClaimRef: {name: archive, namespace: "${ns}"}
  - {kind: BucketClaim, metadata: {name: archive}, spec: {existingBucketName: "archive.${scope}"}}
- expect: {BucketClaim/archive: {status: {readyToUse: true}}}
- backend: {buckets: {"${scope}-archive": present}}
`,
		},
		"NotEmpty": {
			reason: "What was put into the bucket does not keep it from being cleaned up.",
			scenario: "steps:" + granted + "- s3: {secret: key, put: a, content: b}\n" +
				"- backend: {put: {bucket: \"${claim.status.boundBucketName}\", key: c, content: d}}\n",
		},
		"Crashes": {
			reason: "A crash of any component loses nothing.",
			scenario: strings.ReplaceAll("steps:"+granted, "- expect:", "- crash: [sidecar, controller]\n- expect:") +
				"- delete: [BucketAccess/app, BucketClaim/photos]\n- crash: [controller, sidecar]\n- expect: {BucketClaim/photos: absent}\n",
		},
		"TouchedPastCOSI": {
			reason:   "The scenario itself has taken the account away.",
			scenario: "steps:" + granted + "- backend: {deleteAccount: \"${access.status.accountID}\"}\n",
		},
		"Called": {
			reason:   "What a call of the scenario's own has made is no leak, and is cleaned up.",
			scenario: "steps: [{call: {method: DriverCreateBucket, request: {bucketId: \"${scope}-raw\", protocols: [{type: S3}]}}}]",
		},
		"Stripped": {
			reason: "A step has removed the finalizer: what it protected may leak.", scenario: stripped,
		},
		"Orphaned": {
			reason: "No object records the bucket of the backend.", scenario: orphaned,
			between: func(t *testing.T, namespace string) { t.Helper(); orphan(t, emu, namespace) },
			want:    []string{vocabulary.Leak, vocabulary.Leak},
		},
		"Allowed": {
			reason:   "It is known, and there is a reason.",
			scenario: orphaned + "allow: [{oracle: leak, about: bc-, reason: that is what it shows}]\n",
			between:  func(t *testing.T, namespace string) { t.Helper(); orphan(t, emu, namespace) },
		},
		"Stale": {
			reason:   "An exception for nothing would hide what comes next.",
			scenario: "steps:" + claimed + "allow: [{oracle: loss, reason: it was so once}, {oracle: order, reason: so was this}]\n",
			want:     []string{vocabulary.Loss, vocabulary.Order},
		},
		"AllowedBackend": {
			reason: "A step has created the bucket without COSI, and the exception says so.",
			scenario: "steps: [{backend: {createBucket: \"${scope}-raw\"}}]\n" +
				"allow: [{oracle: leak, about: -raw, reason: it was created without COSI}]\n",
		},
		"StaleBackend": {
			reason: "The exception is about another bucket.",
			scenario: "steps: [{backend: {createBucket: \"${scope}-raw\"}}]\n" +
				"allow: [{oracle: leak, about: -cooked, reason: it was created without COSI}]\n",
			want: []string{vocabulary.Leak},
		},
		"Lost": {
			reason: "The account was deleted in the backend, and the access still reports ready.", scenario: "steps:" + granted,
			between: func(t *testing.T, namespace string) {
				t.Helper()
				access := &v1alpha2.BucketAccess{}
				get(t, emu, namespace, "app", access)
				if err := emu.Store().DeleteAccount(t.Context(), emu.Info().DriverName, access.Status.AccountID); err != nil {
					t.Error(err)
				}
			},
			want: []string{vocabulary.Loss},
		},
		"Revealed": {
			reason: "A component has logged the key.", scenario: "steps:" + granted,
			between: func(t *testing.T, namespace string) {
				t.Helper()
				secret := &corev1.Secret{}
				get(t, emu, namespace, "key", secret)
				emu.Journal().Logger("sidecar", 1, 0).Info("granted", "key", string(secret.Data[v1alpha2.SecretKeyS3SecretAccessKey]))
			},
			want: []string{vocabulary.Secret},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := engine.New(emu, engine.Options{Observer: &meddler{happen: func(namespace string) {
				if tc.between != nil {
					tc.between(t, namespace)
				}
			}}})
			result := e.Run(t.Context(), parse(t, tc.scenario))
			var got []string
			for _, failure := range result.Failures {
				got = append(got, failure.Oracle)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\noracles (-want +got):\n%s%s", tc.reason, diff, explain(result))
			}
			expectClean(t, emu)
		})
	}
}

// orphan deletes the Bucket of the claim by force, unseen by the oracles.
func orphan(t *testing.T, emu *emulator.Emulator, namespace string) {
	t.Helper()
	claim, bucket := &v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}
	get(t, emu, namespace, "photos", claim)
	get(t, emu, "", claim.Status.BoundBucketName, bucket)
	bucket.Finalizers = nil
	if err := emu.Client().Update(t.Context(), bucket); err != nil {
		t.Error(err)
	}
	if err := emu.Client().Delete(t.Context(), bucket); err != nil {
		t.Error(err)
	}
}

// expectClean fails if a scenario has left anything in the store.
func expectClean(t *testing.T, emu *emulator.Emulator) {
	t.Helper()
	buckets, err := emu.Store().Buckets(t.Context())
	if err != nil || len(buckets) > 0 {
		t.Errorf("buckets %v, %v are left in the store", buckets, err)
	}
	accounts, err := emu.Store().Accounts(t.Context())
	if err != nil || len(accounts) != 1 { // the administrator's
		t.Errorf("accounts %v, %v are left in the store", accounts, err)
	}
}

func get(t *testing.T, emu *emulator.Emulator, namespace, name string, object client.Object) {
	t.Helper()
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object); err != nil {
		t.Error(err)
	}
}

// meddler calls a function after the step named "granted".
type meddler struct {
	outcome.NopObserver

	namespace string
	happen    func(namespace string)
}

func (m *meddler) ScenarioStarted(_ *spec.Scenario, namespace string) { m.namespace = namespace }

func (m *meddler) StepEnded(_ *spec.Scenario, step outcome.StepResult) {
	if step.Step.Name == "granted" {
		m.happen(m.namespace)
	}
}

// TestSocket runs a scenario twice that uses a driver which already runs.
func TestSocket(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	e := engine.New(emu, engine.Options{})
	socket := drivertest.ServeFake(t, "theirs.test", emu.Info().S3Endpoint)
	scenario := fmt.Sprintf("setup: {drivers: [{name: theirs, socket: %q}]}\nsteps:", socket) + claimed + `
- expect: {"Bucket/${claim.status.boundBucketName}": {spec: {driverName: theirs.test}}}
- call: {method: DriverGetInfo, response: {name: "${driver}"}}
- delete: BucketClaim/photos
- expect: {BucketClaim/photos: absent}
`
	for range 2 {
		if got := e.Run(t.Context(), parse(t, scenario)); got.Outcome != outcome.Passed {
			t.Errorf("%s\n%s", got.Outcome, explain(got))
		}
	}
}
