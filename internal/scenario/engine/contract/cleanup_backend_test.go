package contract

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// atMark calls a function when a scenario reaches its mark.
type atMark struct {
	outcome.NopObserver

	do func(namespace string)

	namespace string
}

func (o *atMark) ScenarioStarted(_ *spec.Scenario, namespace string) { o.namespace = namespace }

func (o *atMark) StepStarted(_ *spec.Scenario, step *spec.Step) {
	if step.Verb == "mark" {
		o.do(o.namespace)
	}
}

func upload(ctx context.Context, emu *emulator.Emulator, namespace, secret string) error {
	var key corev1.Secret
	if err := emu.Client().Get(ctx, client.ObjectKey{Namespace: namespace, Name: secret}, &key); err != nil {
		return err
	}
	url := fmt.Sprintf("%s/upload/storage/v1/b/%s/o?uploadType=media&name=a", emu.Info().GCSEndpoint, key.Data["BUCKET_NAME"])
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("content"))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", fmt.Sprintf("Bearer %s:%s", key.Data["HMAC_ACCESS_ID"], key.Data["HMAC_SECRET"]))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("upload: %s", answer.Status)
	}
	return nil
}

// TestEmpties runs scenarios that leave objects in buckets which cannot be deleted unless empty.
//
//nolint:lll // one case a line
func TestEmpties(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS}})
	observer := &atMark{do: func(namespace string) {
		if err := upload(t.Context(), emu, namespace, "key"); err != nil {
			t.Error(err)
		}
	}}
	e := engine.New(emu, engine.Options{Observer: observer})
	const objects = `
- apply:
  - kind: BucketClaim
    metadata: {name: photos}
    spec: {bucketClassName: "${class}", protocols: [PROTOCOL]}
  - kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: PROTOCOL
      bucketClaims: [{bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}]
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
`
	tests := map[string]struct{ reason, protocol, setup, put string }{
		"GCS":      {reason: "Google's protocol.", protocol: "GCS", put: "- mark: uploaded\n"},
		"Retained": {reason: "What COSI leaves behind.", protocol: "GCS", setup: "{classes: [{name: keep, deletionPolicy: Retain}]}", put: "- mark: uploaded\n"},
		"Region":   {reason: "Requests must be signed for it.", protocol: "S3", setup: "{classes: [{name: far, parameters: {region: moon-1}}]}", put: "- s3: {secret: key, put: a, content: b}\n"},
		"Locked":   {reason: "No key can delete them.", protocol: "S3", setup: "{classes: [{name: locked, parameters: {objectLock: COMPLIANCE 1d}}]}", put: "- s3: {secret: key, put: a, content: b}\n"},
		"Purged":   {reason: "The driver deletes them.", protocol: "S3", setup: "{classes: [{name: purged, parameters: {objectLock: COMPLIANCE 1d, nonEmptyDeletion: purge}}]}", put: "- s3: {secret: key, put: a, content: b}\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			text := "setup: " + tc.setup + "\nsteps:" + strings.ReplaceAll(objects, "PROTOCOL", tc.protocol) + tc.put
			if tc.setup == "" {
				text = strings.TrimPrefix(text, "setup: \n")
			}
			got := e.Run(t.Context(), parse(t, text))
			if got.Outcome != outcome.Passed {
				t.Errorf("%s\n%s", tc.reason, explain(got))
			}
			if left, err := emu.Store().Buckets(t.Context()); err != nil || len(left) > 0 {
				t.Errorf("%s\nBuckets() = %v, %v, want none", tc.reason, left, err)
			}
		})
	}
}
