package emulator_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/smithy-go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func keyOf(object client.Object) client.ObjectKey { return client.ObjectKeyFromObject(object) }

// codeOf is the code of an S3 client's error, "" for none.
func codeOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	rejected, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		t.Fatalf("not an answer of S3: %v", err)
	}
	return rejected.ErrorCode()
}

// secretOf returns a Secret of the story's namespace as an application reads it,
// empty if there is none.
func (s *story) secretOf(ctx context.Context, name string) (map[string]string, error) {
	secret := &corev1.Secret{}
	err := s.emu.Client().Get(ctx, client.ObjectKey{Namespace: s.access.Namespace, Name: name}, secret)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data, nil
}

// TestRotation deletes an access's Secret, which is how a user rotates: there is
// another key, and the old one is of no use. After a restart of the sidecar, all
// is granted once more, which makes another one, too.
func TestRotation(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	s := newStory(t, emu)
	s.useAccessClass(v1alpha2.AuthenticationTypeKey, map[string]string{fakedriver.ParameterRotateCredentials: "true"})
	s.create(s.claim, s.access)
	s.waitReady()
	old := s.secret()
	if err := openBucket(old).put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Fatal(err)
	}
	s.delete(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.access.Namespace, Name: "photos-credentials"}})
	rotated := s.expectRotated(old)
	sidecar := emu.Component(emulator.ComponentSidecar)
	if err := errors.Join(sidecar.Stop(t.Context()), sidecar.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	again := s.expectRotated(rotated)
	for _, secret := range []map[string]string{old, rotated, again} {
		expectNoSecret(t, emu, secret)
	}
}

// expectRotated waits for another key in the Secret, which it returns, and
// expects it to be the one that works.
func (s *story) expectRotated(old map[string]string) map[string]string {
	s.t.Helper()
	var rotated map[string]string
	harness.Until(s.t, "another key comes", func(ctx context.Context) (_ bool, err error) {
		rotated, err = s.secretOf(ctx, "photos-credentials")
		key := rotated[v1alpha2.SecretKeyS3AccessKeyID]
		return key != "" && key != old[v1alpha2.SecretKeyS3AccessKeyID], err // the Secret is there before it is filled
	})
	if keys, err := openBucket(rotated).list(s.t.Context()); err != nil || len(keys) != 1 {
		s.t.Errorf("with the new key: %v, %v", keys, err)
	}
	_, err := openBucket(old).list(s.t.Context())
	if got := codeOf(s.t, err); got != "InvalidAccessKeyId" {
		s.t.Errorf("with the old key: %q", got)
	}
	return rotated
}

// TestAccountLimit: a bucket allows one access. A second access reports that it waits, and becomes
// ready once the first is deleted.
func TestAccountLimit(t *testing.T) {
	t.Parallel()
	s := newStory(t, emulatortest.Start(t, emulator.Options{}))
	s.useBucketClass(map[string]string{fakedriver.ParameterMaxAccounts: "1"})
	s.create(s.claim, s.access)
	s.waitReady()
	second := s.another("second")
	s.create(second)
	s.waitAccess(second, "says what it waits for", func() bool {
		c := meta.FindStatusCondition(second.Status.Conditions, v1alpha2.ConditionProvisioned)
		return c != nil && strings.Contains(c.Message, "has reached its limit")
	})
	s.delete(s.access)
	s.waitAccess(second, "is ready", func() bool { return second.Status.ReadyToUse })
}

// TestSeveralBuckets is one access to two buckets, in which the application may
// do different things with one and the same key.
func TestSeveralBuckets(t *testing.T) {
	t.Parallel()
	s := newStory(t, emulatortest.Start(t, emulator.Options{}))
	s.access.Spec.BucketAccessClassName = emulator.ClassMultiBucket
	archive := s.claim.DeepCopy()
	archive.Name = "archive"
	s.access.Spec.BucketClaims = append(s.access.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
		BucketClaimName: "archive", AccessSecretName: "archive-credentials",
		AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadOnly},
	})
	s.create(s.claim, archive, s.access)
	s.waitReady()
	photos, err := s.secretOf(t.Context(), "photos-credentials")
	if err != nil {
		t.Fatal(err)
	}
	archived, err := s.secretOf(t.Context(), "archive-credentials")
	if err != nil {
		t.Fatal(err)
	}
	if photos[v1alpha2.SecretKeyS3AccessKeyID] != archived[v1alpha2.SecretKeyS3AccessKeyID] {
		t.Error("the two Secrets of an access have different keys")
	}
	if err := openBucket(photos).put(t.Context(), "k", "v"); err != nil {
		t.Errorf("write where it is allowed: %v", err)
	}
	if got := codeOf(t, openBucket(archived).put(t.Context(), "k", "v")); got != "AccessDenied" {
		t.Errorf("write where it is not allowed: %q", got)
	}
	if _, err := openBucket(archived).list(t.Context()); err != nil {
		t.Errorf("read where it is allowed: %v", err)
	}
}
