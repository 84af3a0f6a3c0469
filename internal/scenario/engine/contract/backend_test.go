package contract

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// boundAndGranted is a scenario for steps that inspect and change the backend.
const boundAndGranted = `
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
- expect: {BucketClaim/photos: {status: {readyToUse: true}}}
  as: claim
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
  as: app
`

func TestBackend(t *testing.T) {
	t.Parallel()
	e := engine.New(emulatortest.Start(t, emulator.Options{}), engine.Options{})
	const bucket, account = "${claim.status.boundBucketName}", "${app.status.accountID}"
	tests := map[string]struct {
		reason, steps string
		want          outcome.Outcome
		message       string
	}{
		"Policies": {
			reason: "As the access asks for it, and as it is changed.", want: outcome.Passed,
			steps: `
- backend:
    policies: {"BUCKET": {"ACCOUNT": {objectData: ReadWrite, objectMetadata: absent}, other: absent}}
- s3: {secret: key, put: a, content: b}
- backend:
    setPolicy: {bucket: "BUCKET", account: "ACCOUNT", objectData: ReadOnly, bucketMetadata: ReadOnly}
    policies: {"BUCKET": {"ACCOUNT": {objectData: ReadOnly, bucketMetadata: ReadOnly}}}
- s3: {secret: key, put: a, content: b, code: AccessDenied}
- s3: {secret: key, get: a, content: b}
- backend:
    setPolicy: {bucket: "BUCKET", account: "ACCOUNT"}
    policies: {"BUCKET": absent}
    accounts: {"ACCOUNT": {grants: absent}}
- s3: {secret: key, get: a, code: AccessDenied}
`,
		},
		"OtherPolicy": {
			reason: "It may more.", want: outcome.Failed, message: "policy of bucket",
			steps: `- backend: {policies: {"BUCKET": {"ACCOUNT": {objectData: ReadOnly}}}}` + "\n",
		},
		"TakenAway": {
			reason: "No account has a grant.", want: outcome.Failed, message: "policy of bucket",
			steps: `- backend: {policies: {"BUCKET": absent}}` + "\n",
		},
		"Objects": {
			reason: "What is in it, and what is changed.", want: outcome.Passed,
			steps: `
- backend: {objects: {"BUCKET": absent}}
- s3: {secret: key, put: a, content: hello}
- backend:
    put: {bucket: "BUCKET", key: dir/b, content: ""}
    objects: {"BUCKET": {a: {size: 5}, dir/b: {size: 0}, c: absent}}
- backend:
    deleteObject: {bucket: "BUCKET", key: a}
    objects: {"BUCKET": {a: absent, dir/b: present}}
- s3: {secret: key, get: a, code: NoSuchKey}
`,
		},
		"OtherObjects": {
			reason: "It is not there.", want: outcome.Failed, message: "contents of bucket",
			steps: `- backend: {objects: {"BUCKET": {a: present}}}` + "\n",
		},
		"NoBucket": {
			reason: "There is none of that name.", want: outcome.Broken, message: `bucket "none" does not exist`,
			steps: `- backend: {setPolicy: {bucket: none, account: "ACCOUNT", objectData: ReadOnly}}` + "\n",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			steps := strings.NewReplacer("BUCKET", bucket, "ACCOUNT", account).Replace(tc.steps)
			got := e.Run(t.Context(), parse(t, boundAndGranted+strings.TrimPrefix(steps, "\n")))
			if got.Outcome != tc.want || !strings.Contains(explain(got), tc.message) {
				t.Errorf("%s\n%s, want %s with %q\n%s", tc.reason, got.Outcome, tc.want, tc.message, explain(got))
			}
		})
	}
}
