package contract

import (
	"strings"
	"testing"

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
	emu := emulatortest.Start(t, emulator.Options{})
	for name, tc := range map[string]struct {
		reason, scenario string
		want             []string // in the message; none is a scenario that passes
	}{
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
	} {
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
