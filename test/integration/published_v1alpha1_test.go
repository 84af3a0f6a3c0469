package integration_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// published are manifests in the forms that vendors publish for v1alpha1, one file a vendor.
const published = "testdata/published/v1alpha1/*.yaml"

// TestPublishedV1alpha1 applies published manifests as they are, with fake drivers of the names in
// them. Each access gets its Secret.
func TestPublishedV1alpha1(t *testing.T) {
	t.Parallel()
	sets := readPublished(t)
	for _, protocol := range []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolAzure} {
		t.Run(string(protocol), func(t *testing.T) {
			t.Parallel()
			var chosen []publishedSet
			var drivers []string
			for _, set := range sets {
				if set.protocol() == protocol {
					chosen, drivers = append(chosen, set), append(drivers, set.drivers()...)
				}
			}
			emu := emulatortest.Start(t, emulator.Options{
				API: objectstorage.V1alpha1, DriverNames: unique(drivers), Protocols: []fakedriver.Protocol{protocol},
			})
			for _, set := range chosen {
				t.Run(set.name, func(t *testing.T) { set.expectAccess(t, emu) })
			}
		})
	}
}

// publishedSet is a file of manifests.
type publishedSet struct {
	name    string
	objects []*unstructured.Unstructured
}

func readPublished(t *testing.T) []publishedSet {
	t.Helper()
	files, err := filepath.Glob(published)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files %s: %v", len(files), published, err)
	}
	var sets []publishedSet
	for _, file := range files {
		objects, err := manifest.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, publishedSet{strings.TrimSuffix(filepath.Base(file), ".yaml"), objects})
	}
	return sets
}

// protocol is the one of the claims.
func (s publishedSet) protocol() fakedriver.Protocol {
	for _, object := range s.objects {
		protocols, _, _ := unstructured.NestedStringSlice(object.Object, "spec", "protocols")
		if len(protocols) > 0 && v1alpha1.ProtocolAzure.Equal(v1alpha1.Protocol(protocols[0])) {
			return fakedriver.ProtocolAzure
		}
	}
	return fakedriver.ProtocolS3
}

func (s publishedSet) drivers() []string {
	var names []string
	for _, object := range s.objects {
		if name, _, _ := unstructured.NestedString(object.Object, "driverName"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// expectAccess applies the set, and expects a Secret with credentials for each access.
func (s publishedSet) expectAccess(t *testing.T, emu *emulator.Emulator) {
	t.Helper()
	for _, object := range s.objects {
		if id, _, _ := unstructured.NestedString(object.Object, "spec", "existingBucketID"); id != "" {
			if _, err := emu.Store().CreateBucket(t.Context(), fakedriver.BucketSpec{Name: id, Owner: "admin"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := manifest.Apply(t.Context(), emu.Client(), s.objects); err != nil {
		t.Fatal(err)
	}
	for _, object := range s.objects {
		if object.GetKind() != "BucketAccess" {
			continue
		}
		harness.Eventually(t, "BucketAccess "+object.GetName()+" is granted", func(ctx context.Context) error {
			return expectGranted(ctx, emu, client.ObjectKeyFromObject(object))
		})
		expectBucketInfo(t, emu, object)
	}
}

func expectGranted(ctx context.Context, emu *emulator.Emulator, key client.ObjectKey) error {
	access := &v1alpha1.BucketAccess{}
	if err := emu.Client().Get(ctx, key, access); err != nil {
		return err
	}
	if access.Status.AccessGranted {
		return nil
	}
	events := &corev1.EventList{}
	if err := emu.Client().List(ctx, events); err != nil {
		return err
	}
	err := errors.New("it is not; the Events")
	for _, event := range events.Items {
		err = fmt.Errorf("%w\n%s %s: %s", err, event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Message)
	}
	return err
}

// expectBucketInfo expects the spelling of the manifest, and credentials.
func expectBucketInfo(t *testing.T, emu *emulator.Emulator, access *unstructured.Unstructured) {
	t.Helper()
	secretName, _, _ := unstructured.NestedString(access.Object, "spec", "credentialsSecretName")
	protocol, _, _ := unstructured.NestedString(access.Object, "spec", "protocol")
	secret := &corev1.Secret{}
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Namespace: access.GetNamespace(), Name: secretName}, secret); err != nil {
		t.Fatal(err)
	}
	info, err := v1alpha1.ParseBucketInfo(secret.Data[v1alpha1.BucketInfoKey])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]v1alpha1.Protocol{v1alpha1.Protocol(protocol)}, info.Spec.Protocols); diff != "" {
		t.Errorf("protocols of the BucketInfo of %s (-want +got):\n%s", access.GetName(), diff)
	}
	hasKey := info.Spec.SecretS3 != nil && info.Spec.SecretS3.AccessSecretKey != ""
	if hasToken := info.Spec.SecretAzure != nil && info.Spec.SecretAzure.AccessToken != ""; hasKey == hasToken {
		t.Errorf("the BucketInfo of %s has a key: %t, and a token: %t", access.GetName(), hasKey, hasToken)
	}
}

func unique(names []string) []string {
	var all []string
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			all, seen[name] = append(all, name), true
		}
	}
	return all
}
