package emulator_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/webidentity"
)

// token returns a token of a ServiceAccount, which it makes if there is none, as
// a projected volume has it.
func (s *story) token(serviceAccount, audience string) string {
	s.t.Helper()
	object := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.access.Namespace, Name: serviceAccount}}
	if err := s.emu.Client().Get(s.t.Context(), keyOf(object), object); err != nil {
		s.create(object)
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{audience}}}
	if err := s.emu.Client().SubResource("token").Create(s.t.Context(), object, request); err != nil {
		s.t.Fatal(err)
	}
	return request.Status.Token
}

// openAs returns the SDK's default client in the environment of a Pod whose container has the Secret
// as variables, and the token of its ServiceAccount on a volume. The client finds everything else by
// itself.
func (s *story) openAs(secret map[string]string, token, role string) bucket {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		s.t.Fatal(err)
	}
	for name, value := range secret {
		s.t.Setenv(name, value)
	}
	s.t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", file)
	s.t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::000000000000:role/"+role)
	s.t.Setenv("AWS_ROLE_SESSION_NAME", "test")
	// For its own STS client the SDK for Go does not look at AWS_ENDPOINT_URL.
	s.t.Setenv("AWS_ENDPOINT_URL_STS", secret[v1alpha2.SecretKeyS3Endpoint])
	s.t.Setenv("AWS_CA_BUNDLE", "") // of the user that runs the test
	cfg, err := config.LoadDefaultConfig(s.t.Context(), config.WithRetryMaxAttempts(1))
	if err != nil {
		s.t.Fatal(err)
	}
	name := secret[v1alpha2.SecretKeyBucketName]
	return bucket{name: &name, client: s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = secret[v1alpha2.SecretKeyS3AddressingStyle] == v1alpha2.S3AddressingStylePath
	})}
}

// newPod is the story of an access for ServiceAccount builder, without a key.
func newPod(t *testing.T, emu *emulator.Emulator) *story {
	t.Helper()
	s := newStory(t, emu)
	s.useAccessClass(v1alpha2.AuthenticationTypeServiceAccount, nil)
	s.access.Spec.ServiceAccountName = "builder"
	s.create(s.claim, s.access)
	s.waitReady()
	return s
}

// TestServiceAccount: the Secret has no key, and yet the Pods of the
// ServiceAccount, and no others, have access until the access is deleted.
func TestServiceAccount(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	s := newPod(t, emu)
	secret := s.secret()
	if diff := cmp.Diff([]string{
		"AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_S3_ADDRESSING_STYLE", "BUCKET_NAME", "COSI_PROTOCOL",
	}, keys(secret)); diff != "" {
		t.Errorf("keys of the Secret: -want, +got:\n%s", diff)
	}
	pod := s.openAs(secret, s.token("builder", webidentity.Audience), s.access.Name)
	if err := pod.put(t.Context(), "hello.txt", "hello"); err != nil {
		t.Fatalf("the Pod writes: %v", err)
	}
	if keys, err := pod.list(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("the Pod lists %v, %v", keys, err)
	}
	s.delete(s.access)
	s.waitGone(s.access)
	_, err := pod.list(t.Context())
	if got := codeOf(t, err); got != "InvalidAccessKeyId" {
		t.Errorf("the Pod, with the key that it has, after the access is gone: %q", got)
	}
	_, err = s.openAs(secret, s.token("builder", webidentity.Audience), s.access.Name).list(t.Context())
	if got := codeOf(t, err); got != "AccessDenied" {
		t.Errorf("the Pod, with its token, after the access is gone: %q", got)
	}
}

// TestServiceAccountOfOthers is about tokens that are good, but not for this.
//
//nolint:lll // one case a line
func TestServiceAccountOfOthers(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	s, elsewhere := newPod(t, emu), newPod(t, emu)
	secret := s.secret()
	byKey := s.another("by-key")
	byKey.Spec.BucketAccessClassName, byKey.Spec.ServiceAccountName = emulator.ClassStandard, ""
	readOnly := s.another("read-only")
	readOnly.Spec.BucketClaims[0].AccessModes.ObjectData = v1alpha2.BucketAccessModeReadOnly
	s.create(byKey, readOnly)
	s.waitAccess(byKey, "is ready", func() bool { return byKey.Status.ReadyToUse })
	s.waitAccess(readOnly, "is ready", func() bool { return readOnly.Status.ReadyToUse })
	for name, tc := range map[string]struct {
		reason string
		token  string
		role   string
		want   string // of a write
		lists  bool
	}{
		"Chosen":      {reason: "The role says which of two accesses, this one only to read.", token: s.token("builder", webidentity.Audience), role: "read-only", want: "AccessDenied", lists: true},
		"Own":         {reason: "The other of the two.", token: s.token("builder", webidentity.Audience), role: s.access.Name, lists: true},
		"Neighbour":   {reason: "Another ServiceAccount of the namespace.", token: s.token("web", webidentity.Audience), role: s.access.Name, want: "AccessDenied"},
		"Namesake":    {reason: "Its access is to another bucket.", token: elsewhere.token("builder", webidentity.Audience), role: s.access.Name, want: "AccessDenied"},
		"ByKey":       {reason: "An access by key requires the key.", token: s.token("builder", webidentity.Audience), role: "by-key", want: "AccessDenied"},
		"NoSuch":      {reason: "There is no such access.", token: s.token("builder", webidentity.Audience), role: "none", want: "AccessDenied"},
		"Audience":    {reason: "A token for another audience, which must not use it here.", token: s.token("builder", "vault"), role: s.access.Name, want: "InvalidIdentityToken"},
		"NotAToken":   {reason: "It has no signature.", token: "eyJhbGciOiJub25lIn0.e30.", role: s.access.Name, want: "InvalidIdentityToken"},
		"WrongServer": {reason: "Signed, but not by this API server.", token: s.token("builder", webidentity.Audience) + "x", role: s.access.Name, want: "InvalidIdentityToken"},
	} {
		t.Run(name, func(t *testing.T) {
			in := *s
			in.t = t
			pod := in.openAs(secret, tc.token, tc.role)
			if got := codeOf(t, pod.put(t.Context(), "k", "v")); got != tc.want {
				t.Errorf("%s\nput(): %q, want %q", tc.reason, got, tc.want)
			}
			if _, err := pod.list(t.Context()); (err == nil) != tc.lists {
				t.Errorf("%s\nlist(): %v, want success: %t", tc.reason, err, tc.lists)
			}
		})
	}
}
