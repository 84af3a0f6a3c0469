package contract

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// provisioned is the beginning of a scenario in which an application gets its bucket.
const provisioned = `
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
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
- s3: {secret: key, put: hello, content: world}
`

const lostAndDeleted = `
- s3: {secret: key, get: hello, code: InvalidAccessKeyId}
- backend: {only: true}
- delete: [BucketAccess/app, BucketClaim/photos]
- expect: {BucketAccess/app: absent, BucketClaim/photos: absent}
`

// TestForget runs scenarios in which a backend loses everything. This is no component's fault, so
// the oracles report nothing.
func TestForget(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	e := engine.New(emu, engine.Options{})
	tests := map[string]struct {
		reason, steps string
		fails         string
	}{
		"Crash":   {reason: "The driver's backend is empty.", steps: "- {crash: [driver], forget: true}" + lostAndDeleted},
		"Restart": {reason: "The store is empty.", steps: "- {restart: [store], forget: true}" + lostAndDeleted},
		"Own": {
			reason: "A driver of the scenario's own is empty.",
			steps:  `- {crash: ["driver.${drivers.vendor}"], forget: true}` + lostAndDeleted,
		},
		"Fault": {
			reason: "A fault makes it so.",
			steps: "- inject: {name: f, seam: rpc, component: driver, operation: DriverRevokeBucketAccess, nth: 1, crash: before, forget: true}\n" +
				"- delete: [BucketAccess/app]\n- expect: {BucketAccess/app: absent}\n- backend: {only: true}\n" +
				"- delete: [BucketClaim/photos]\n- expect: {BucketClaim/photos: absent}",
		},
		"Nothing": {
			reason: "A sidecar keeps nothing, and runs all the same afterwards.", fails: "it keeps nothing that it could forget",
			steps: "- {crash: [sidecar], forget: true}",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			setup := ""
			if name == "Own" {
				setup = "setup: {drivers: [{name: vendor}]}\n"
			}
			result := e.Run(t.Context(), parse(t, setup+"steps:"+provisioned+tc.steps+"\n"))
			if (result.Outcome == outcome.Passed) != (tc.fails == "") || !strings.Contains(explain(result), tc.fails) {
				t.Errorf("%s: %s\n%s", tc.reason, result.Outcome, explain(result))
			}
			for _, component := range emu.Components() {
				if state, _ := component.State(); state != emulator.StateRunning {
					t.Errorf("%s is %s afterwards", component.Name(), state)
				}
			}
		})
	}
}
