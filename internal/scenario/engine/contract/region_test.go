package contract

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestNoRegion uses a Secret without a region, as drivers of v1alpha1 have them. The request is signed for the default region, which
// the emulator's store names as the wrong one.
func TestNoRegion(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	e := engine.New(emu, engine.Options{})
	const copied = `  as: app
- expect: {Secret/key: present}
  as: key
- apply:
    kind: Secret
    metadata: {name: copy}
    stringData:
      BUCKET_NAME: ${key.stringData.BUCKET_NAME}
      AWS_ENDPOINT_URL: ${key.stringData.AWS_ENDPOINT_URL}
      AWS_ACCESS_KEY_ID: ${key.stringData.AWS_ACCESS_KEY_ID}
      AWS_SECRET_ACCESS_KEY: ${key.stringData.AWS_SECRET_ACCESS_KEY}
- s3: {secret: copy, put: hello, content: world, code: AuthorizationHeaderMalformed}
`
	if result := e.Run(t.Context(), parse(t, keyScenario(fakedriver.ProtocolS3, copied))); result.Outcome != outcome.Passed {
		t.Errorf("%s: %s", result.Outcome, explain(result))
	}
}
