package emulator_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/webidentity"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// applyExample creates the objects of an example, and returns the data of its access's Secret.
func applyExample(t *testing.T, emu *emulator.Emulator, file string, access client.ObjectKey) map[string]string {
	t.Helper()
	objects := readExample(t, file)
	if err := manifest.Apply(t.Context(), emu.Client(), objects); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { deleteNamespaces(emu, objects) })
	ctx, cancel := context.WithTimeout(t.Context(), harness.Timeout)
	defer cancel()
	variables, err := env.WaitAccess(ctx, emu.Client(), emu.Info().API, access, "")
	if err != nil {
		t.Fatal(err)
	}
	secret := map[string]string{}
	for _, v := range variables {
		secret[v.Name] = v.Value
	}
	return secret
}

func deleteNamespaces(emu *emulator.Emulator, objects []*unstructured.Unstructured) {
	for _, object := range objects {
		if object.GetKind() == "Namespace" {
			_ = emu.Client().Delete(context.Background(), object)
		}
	}
}

// TestExampleParameters uses the classes of the example, and looks at what each
// parameter has done.
func TestExampleParameters(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	if err := manifest.Apply(t.Context(), emu.Client(), readExample(t, "parameters.yaml")); err != nil {
		t.Fatal(err)
	}
	s := newStory(t, emu)
	s.claim.Spec.BucketClassName, s.access.Spec.BucketAccessClassName = "bounded", "rotating"
	s.create(s.claim, s.access)
	s.waitReady()
	b := openBucket(s.secret())
	if region := b.client.Options().Region; region != "us-west-2" {
		t.Errorf("the bucket is in %s", region)
	}
	versioning, err := b.client.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: b.name})
	if err != nil || versioning.Status != "Enabled" {
		t.Errorf("GetBucketVersioning() = %+v, %v", versioning, err)
	}
	lock, err := b.client.GetObjectLockConfiguration(t.Context(), &s3.GetObjectLockConfigurationInput{Bucket: b.name})
	if err != nil || *lock.ObjectLockConfiguration.Rule.DefaultRetention.Days != 30 {
		t.Errorf("GetObjectLockConfiguration() = %+v, %v", lock, err)
	}
	tagging, err := b.client.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: b.name})
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, tag := range tagging.TagSet {
		tags[*tag.Key] = *tag.Value
	}
	if diff := cmp.Diff(map[string]string{"team": "photos", "cost": "low"}, tags); diff != "" {
		t.Errorf("tags: -want, +got:\n%s", diff)
	}
}

// TestQuota fills a bucket: the object that does not fit is rejected, and there
// is room again when another has gone.
func TestQuota(t *testing.T) {
	t.Parallel()
	s := newStory(t, emulatortest.Start(t, emulator.Options{}))
	s.useBucketClass(map[string]string{"quotaBytes": "10", "quotaObjects": "2", "nonEmptyDeletion": "purge"})
	s.create(s.claim, s.access)
	s.waitReady()
	b := openBucket(s.secret())
	for _, step := range []struct{ key, content, want string }{
		{"a", "1234567", ""},
		{"b", "1234", "QuotaExceeded"},
		{"b", "123", ""},
		{"c", "", "QuotaExceeded"},
		{"a", "123", ""},
		{"b", "1234567", ""},
	} {
		if got := codeOf(t, b.put(t.Context(), step.key, step.content)); got != step.want {
			t.Errorf("put %q of %d bytes: %q, want %q", step.key, len(step.content), got, step.want)
		}
	}
}

// TestExampleExistingBucket follows the instructions of the example.
func TestExampleExistingBucket(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	admin, _ := rootClient(t, emu)
	if _, err := admin.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: new("legacy")}); err != nil {
		t.Fatal(err)
	}
	secret := applyExample(t, emu, "existing-bucket.yaml", client.ObjectKey{Namespace: "brownfield", Name: "legacy-ro"})
	if keys, err := openBucket(secret).list(t.Context()); err != nil || len(keys) > 0 || secret[v1alpha2.SecretKeyBucketName] != "legacy" {
		t.Errorf("list() of %s = %v, %v", secret[v1alpha2.SecretKeyBucketName], keys, err)
	}
}

// TestExampleServiceAccount follows the instructions of docs/driver.md.
func TestExampleServiceAccount(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	access := client.ObjectKey{Namespace: "keyless", Name: "photos-rw"}
	secret := applyExample(t, emu, "service-account.yaml", access)
	s := &story{t: t, emu: emu, access: &v1alpha2.BucketAccess{}}
	s.access.Namespace, s.access.Name = access.Namespace, access.Name
	pod := s.openAs(secret, s.token("builder", webidentity.Audience), access.Name)
	if err := pod.put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Error(err)
	}
}
