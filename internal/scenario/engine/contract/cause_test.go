package contract

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestCause expects objects that never become ready. The step ends before its timeout, which the test never
// reaches, and the failure has the cause.
func TestCause(t *testing.T) {
	t.Parallel()
	const (
		access = "\n- apply:\n  - {kind: BucketAccess, metadata: {name: rw}, " +
			"spec: {bucketAccessClassName: \"${accessClass}\", protocol: PROTOCOL, " +
			"bucketClaims: [{bucketClaimName: photos, accessSecretName: keys, accessModes: {objectData: ReadWrite}}]}}\n"
		claim = "steps:\n- apply: {kind: BucketClaim, metadata: {name: photos}, " +
			"spec: {bucketClassName: \"${class}\", protocols: [PROTOCOL]}}\n"
		ready     = "- expect: {BucketClaim/photos: {status: {readyToUse: true}}}\n  timeout: 1h\n"
		granted   = "- expect: {BucketAccess/rw: {status: {readyToUse: true}}}\n  timeout: 1h\n"
		secret    = "- expect: {Secret/keys: {data: {BUCKET_NAME: present}}}\n  timeout: 1h\n"
		quota     = "setup: {classes: [{name: q, parameters: {quotaBytes: lots}}]}\n"
		off       = `spec.protocols has GCS, but driver fake.cosi-emu serves only [S3]`
		odd       = `parameter quotaBytes is "lots"`
		corrected = "- parallel:\n  - - settle: {}\n    - patch: {BucketClaim/photos: {metadata: {labels: {a: b}}}}\n" +
			"  - - expect: {BucketClaim/photos: " +
			"{metadata: {labels: {a: b}}}}\n      timeout: 1h\n"
	)
	runCauses(t, emulatortest.Start(t, emulator.Options{}), map[string]causeCase{
		"Class": {
			"Its class does not exist.", strings.ReplaceAll(claim, "${class}", "nonesuch") + ready,
			[]string{"BucketClaim/photos: condition not met", `BucketClass "nonesuch" not found`},
		},
		"Protocol": {"The driver does not serve it.", strings.ReplaceAll(claim, "PROTOCOL", "GCS") + ready, []string{off}},
		"ProtocolAccess": {
			"The Bucket is the cause.", strings.ReplaceAll(claim+access+granted, "PROTOCOL", "GCS"), []string{"BucketAccess/rw", off},
		},
		"ProtocolSecret":  {"The Secret never comes.", strings.ReplaceAll(claim+access+secret, "PROTOCOL", "GCS"), []string{"Secret/keys", off}},
		"Parameter":       {"The driver rejects it.", quota + strings.ReplaceAll(claim, "${class}", "${classes.q}") + ready, []string{odd}},
		"CorrectedInTime": {"A step beside it may still correct the object.", strings.ReplaceAll(claim, "${class}", "nonesuch") + corrected, nil},
	})
}

// TestCauseV1alpha1 is TestCause for v1alpha1, whose objects have Events instead of conditions.
func TestCauseV1alpha1(t *testing.T) {
	t.Parallel()
	const (
		claim = "steps:\n- apply: {kind: BucketClaim, metadata: {name: photos}, " +
			"spec: {bucketClassName: \"${class}\", protocols: [PROTOCOL]}}\n"
		access = "- apply: {kind: BucketAccess, metadata: {name: rw}, spec: {bucketAccessClassName: \"${accessClass}\", protocol: S3, " +
			"bucketClaimName: photos, credentialsSecretName: keys}}\n"
		ready     = "- expect: {BucketClaim/photos: {status: {bucketReady: true}}}\n  timeout: 1h\n"
		granted   = "- expect: {BucketAccess/rw: {status: {accessGranted: true}}}\n  timeout: 1h\n"
		secret    = "- expect: {Secret/keys: {data: {BucketInfo: present}}}\n  timeout: 1h\n"
		quota     = "setup: {api: v1alpha1, classes: [{name: q, parameters: {quotaBytes: lots}}]}\n"
		plain     = "setup: {api: v1alpha1}\n"
		driver    = "setup: {api: v1alpha1, drivers: [{name: one}]}\n"
		odd       = `parameter quotaBytes is "lots"`
		rejected  = "- inject: {name: no, seam: rpc, operation: DriverCreateBucket, fail: InvalidArgument, times: 2}\n"
		recovered = "- restart: \"sidecar.${drivers.one}\"\n"
	)
	inject := func(scenario string) string { return strings.Replace(scenario, "steps:\n", "steps:\n"+rejected, 1) }
	runCauses(t, emulatortest.Start(t, emulator.Options{API: objectstorage.V1alpha1}), map[string]causeCase{
		"Class": {
			"Its class does not exist.", plain + strings.ReplaceAll(claim, "${class}", "nonesuch") + ready,
			[]string{"BucketClaim/photos: condition not met", `BucketClass "nonesuch" not found`},
		},
		"Parameter": {
			"The driver rejects it.", quota + strings.ReplaceAll(claim, "${class}", "${classes.q}") + ready, []string{"Bucket \"", odd},
		},
		"ParameterAccess": {
			"The Bucket is the cause.", quota + strings.ReplaceAll(claim, "${class}", "${classes.q}") + access + granted,
			[]string{"BucketAccess/rw", odd},
		},
		"ParameterSecret": {
			"The Secret never comes.", quota + strings.ReplaceAll(claim, "${class}", "${classes.q}") + access + secret,
			[]string{"Secret/keys", odd},
		},
		"Fault": {"The code is final.", driver + inject(claim) + ready, []string{"Bucket \"", "InvalidArgument"}},
		"Recovered": {
			"Each start of the sidecar asks the driver again, which has another answer the third time.",
			driver + inject(claim) + "- settle: {}\n" + recovered + "- settle: {}\n" + recovered + ready, nil,
		},
	})
}

// causeCase is a scenario, and parts of the message of its failure.
type causeCase struct {
	reason, scenario string
	want             []string // none is a scenario that passes
}

func runCauses(t *testing.T, emu *emulator.Emulator, cases map[string]causeCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			document := strings.ReplaceAll(tc.scenario, "PROTOCOL", "S3")
			result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, document))
			if tc.want == nil {
				if result.Outcome != outcome.Passed {
					t.Fatalf("%s\n%s, want it to pass:\n%s", tc.reason, result.Outcome, explain(result))
				}
				return
			}
			if result.Outcome != outcome.Failed {
				t.Fatalf("%s\n%s, want the expectation to fail:\n%s", tc.reason, result.Outcome, explain(result))
			}
			for _, want := range tc.want {
				if message := result.Failures[0].Message; !strings.Contains(message, want) {
					t.Errorf("%s\nmessage %q, want %q in it", tc.reason, message, want)
				}
			}
		})
	}
}
