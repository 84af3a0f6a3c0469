package contract

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// answersLost loses the answers to an application's requests.
const answersLost = `
steps:
- apply:
  - {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
  - kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims:
      - {bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
- inject: {name: put, seam: store, component: store, operation: PutObject, every: 2, nth: 1, loseReply: InternalError}
- inject: {name: completed, seam: store, component: store, operation: CompleteMultipartUpload, times: 1, loseReply: InternalError}
- s3: {secret: key, put: a, content: x}
- s3: {secret: key, presignPut: b, content: x}
- s3: {secret: key, multipart: c, size: 6000000}
- heal: [put, completed]
- s3: {secret: key, list: "", keys: [a, b, c]}
- s3: {secret: key, delete: a}
- s3: {secret: key, delete: b}
- s3: {secret: key, delete: c}
`

// TestS3Attempts repeats requests as S3 clients do.
func TestS3Attempts(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	for attempts, want := range map[int]outcome.Outcome{1: outcome.Failed, 3: outcome.Passed} {
		e := engine.New(emu, engine.Options{S3Attempts: attempts})
		if result := e.Run(t.Context(), parse(t, answersLost)); result.Outcome != want {
			t.Errorf("%d attempts: %s, want %s: %s", attempts, result.Outcome, want, explain(result))
		}
	}
}
