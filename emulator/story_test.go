package emulator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// story is a claim and an access to it, in a namespace of their own.
type story struct {
	t      *testing.T
	emu    *emulator.Emulator
	claim  *v1alpha2.BucketClaim
	access *v1alpha2.BucketAccess
}

func newStory(t *testing.T, emu *emulator.Emulator) *story {
	t.Helper()
	namespace := emulatortest.NamespaceIn(t, emu)
	return &story{
		t: t, emu: emu,
		claim: &v1alpha2.BucketClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "photos"},
			Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
		},
		access: &v1alpha2.BucketAccess{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "photos-rw"},
			Spec: v1alpha2.BucketAccessSpec{
				BucketAccessClassName: emulator.ClassStandard,
				Protocol:              v1alpha2.ProtocolS3,
				BucketClaims: []v1alpha2.BucketClaimAccess{{
					BucketClaimName:  "photos",
					AccessSecretName: "photos-credentials",
					AccessModes:      v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
				}},
			},
		},
	}
}

func (s *story) create(objects ...client.Object) {
	s.t.Helper()
	for _, object := range objects {
		if err := s.emu.Client().Create(s.t.Context(), object); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *story) delete(object client.Object) {
	s.t.Helper()
	if err := s.emu.Client().Delete(s.t.Context(), object); err != nil {
		s.t.Fatal(err)
	}
}

// waitReady waits as an application does: it reads again if the API server is away.
func (s *story) waitReady() {
	s.t.Helper()
	harness.Eventually(s.t, "claim and access become ready", func(ctx context.Context) error {
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(s.claim), s.claim); err != nil {
			return err
		}
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(s.access), s.access); err != nil {
			return err
		}
		if !s.claim.Status.ReadyToUse || !s.access.Status.ReadyToUse {
			return fmt.Errorf("the claim's status is %+v, the access's is %+v", s.claim.Status, s.access.Status)
		}
		return nil
	})
}

func (s *story) waitGone(object client.Object) {
	s.t.Helper()
	harness.Eventually(s.t, "object goes", func(ctx context.Context) error {
		err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
		if err == nil {
			return fmt.Errorf("%T %s exists", object, object.GetName())
		}
		return client.IgnoreNotFound(err)
	})
}

// waitDeprovisioned waits until the claim and its Bucket are gone. The claim goes first: it
// is released once its Bucket is being deleted. The backend bucket goes before the Bucket.
func (s *story) waitDeprovisioned() {
	s.t.Helper()
	name := s.claim.Status.BoundBucketName
	if name == "" {
		s.t.Fatal("the claim was not bound")
	}
	s.waitGone(s.claim)
	s.waitGone(&v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// secret returns the Secret as an application reads it.
func (s *story) secret() map[string]string {
	s.t.Helper()
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: s.access.Namespace, Name: s.access.Spec.BucketClaims[0].AccessSecretName}
	if err := s.emu.Client().Get(s.t.Context(), key, secret); err != nil {
		s.t.Fatal(err)
	}
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}

// bucket is an S3 client that knows nothing but a Secret.
type bucket struct {
	client *s3.Client
	name   *string
}

func openBucket(secret map[string]string) bucket {
	id, key := secret[v1alpha2.SecretKeyS3AccessKeyID], secret[v1alpha2.SecretKeyS3SecretAccessKey]
	return bucket{
		client: s3.New(s3.Options{
			BaseEndpoint:     aws.String(secret[v1alpha2.SecretKeyS3Endpoint]),
			Region:           secret[v1alpha2.SecretKeyS3Region],
			UsePathStyle:     secret[v1alpha2.SecretKeyS3AddressingStyle] == v1alpha2.S3AddressingStylePath,
			Credentials:      credentials.NewStaticCredentialsProvider(id, key, ""),
			RetryMaxAttempts: 1,
		}),
		name: aws.String(secret[v1alpha2.SecretKeyBucketName]),
	}
}

func (b bucket) put(ctx context.Context, key, text string) error {
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: b.name, Key: &key, Body: strings.NewReader(text)})
	return err
}

func (b bucket) list(ctx context.Context) ([]string, error) {
	out, err := b.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: b.name})
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, object := range out.Contents {
		keys = append(keys, *object.Key)
	}
	return keys, nil
}
