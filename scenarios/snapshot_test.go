package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/scenarios"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// fromSnapshot uses and changes the contents of the snapshot.
const fromSnapshot = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: NAME
setup:
  snapshot: state.snapshot
steps:
- expect: {BucketClaim/demo/photos: {status: {readyToUse: true}}}
- delete: BucketClaim/demo/photos
- apply:
    apiVersion: objectstorage.k8s.io/v1alpha2
    kind: BucketClaim
    metadata: {name: new}
    spec: {bucketClassName: "${class}", protocols: [S3]}
- expect: {BucketClaim/new: {status: {readyToUse: true}}}
`

// TestSnapshot runs two scenarios that delete objects of the same snapshot: each starts from the
// whole snapshot.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	saveSnapshot(t, filepath.Join(dir, "state.snapshot"))
	for _, name := range []string{"first", "second"} {
		content := []byte(strings.Replace(fromSnapshot, "NAME", name, 1))
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scenarios.Run(t, filepath.Join(dir, "*.yaml"))
}

// saveSnapshot saves an emulator with a ready claim.
func saveSnapshot(t *testing.T, file string) {
	t.Helper()
	emu, err := emulator.Start(t.Context(), emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "photos"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	for _, object := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, claim} {
		if err := emu.Client().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	harness.Until(t, "the claim is ready", func(ctx context.Context) (bool, error) {
		err := emu.Client().Get(ctx, client.ObjectKeyFromObject(claim), claim)
		return claim.Status.ReadyToUse, err
	})
	if _, err := emu.SaveSnapshot(t.Context(), file, false); err != nil {
		t.Fatal(err)
	}
}
