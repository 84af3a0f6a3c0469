package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/drafts"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/migrate"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestPublishedV1alpha2 takes the steps of published end-to-end tests, with the driver's own name and parameters and a
// class of the name default. Manifests of the draft with one access mode have to be converted.
func TestPublishedV1alpha2(t *testing.T) {
	s := newStage(t)
	opts := ownPlane(t)
	opts.Emulator.DriverNames = []string{"demo.storage.example.net"}
	opts.Emulator.SecretKeys = []v1alpha2.SecretKeySet{v1alpha2.SecretKeysKEP, v1alpha2.SecretKeysCOSI}
	running := s.start(opts)
	defer s.stop(running)
	c := running.Emulator().Client()

	today := readPublishedV1alpha2(t, "access-modes.yaml")
	for range 2 { // users apply manifests again
		if err := applyText(t.Context(), c, today); err != nil {
			t.Fatal(err)
		}
	}
	s.expectSecret(c, "invoices-writer")

	earlier := readPublishedV1alpha2(t, "access-mode.yaml")
	err := applyText(t.Context(), c, earlier)
	if err == nil || !strings.Contains(err.Error(), "write disallowedBucketAccessModes: {objectData: [MODE]}, or rewrite the manifest") {
		t.Errorf("manifests of the draft with one mode: %v, want an error that explains how to write them", err)
	}
	converted, err := migrate.Convert("access-mode.yaml", earlier, drafts.KEP)
	if err != nil {
		t.Fatal(err)
	}
	if err := applyText(t.Context(), c, converted.Text); err != nil {
		t.Fatal(err)
	}
	s.expectSecret(c, "scans-writer")
}

func readPublishedV1alpha2(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "published", "v1alpha2", file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func applyText(ctx context.Context, c client.Client, text []byte) error {
	objects, err := manifest.Decode(text)
	if err != nil {
		return err
	}
	return manifest.Apply(ctx, c, objects)
}

// expectSecret expects the keys of both sets in a Secret of the namespace default.
func (s *stage) expectSecret(c client.Client, name string) {
	s.t.Helper()
	secret := &corev1.Secret{}
	harness.Eventually(s.t, "the Secret "+name, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceDefault, Name: name}, secret); err != nil {
			return err
		}
		for _, key := range []string{
			"COSI_S3_BUCKET_ID", "COSI_S3_ENDPOINT", "COSI_S3_REGION", "COSI_S3_ADDRESSING_STYLE", "COSI_S3_ACCESS_KEY_ID",
			"COSI_S3_ACCESS_SECRET_KEY", "BUCKET_NAME", "AWS_SECRET_ACCESS_KEY",
		} {
			if len(secret.Data[key]) == 0 {
				return fmt.Errorf("it has no %s", key)
			}
		}
		return nil
	})
}
