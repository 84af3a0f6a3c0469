package e2e_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// vault hands out secrets, no two of them alike, and remembers all.
type vault struct {
	mu     sync.Mutex
	handed []string
}

func (v *vault) secret() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	secret := fmt.Sprintf("top+secret/%04d==", len(v.handed))
	v.handed = append(v.handed, secret)
	return secret
}

func (v *vault) all() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.handed...)
}

// rotate gives credentials new secrets, as a driver does that rotates keys with
// each call.
func (v *vault) rotate(credentials *cosiv1alpha2.CredentialInfo) {
	if s3 := credentials.GetS3(); s3 != nil {
		s3.AccessSecretKey = v.secret()
	}
	if azure := credentials.GetAzure(); azure != nil {
		azure.AccessToken = v.secret()
	}
	if gcs := credentials.GetGcs(); gcs != nil {
		gcs.AccessSecret = v.secret()
	}
}

// fail is an error with secrets where drivers have them: in signed URLs.
func (v *vault) fail(code codes.Code) error {
	return status.Errorf(code, "Put https://admin:%s@store.test/b?X-Signature=%s&X-Token=%s: it is Sunday",
		url.QueryEscape(v.secret()), v.secret(), v.secret())
}

// guard has a driver of all protocols take its secrets from the vault.
func (v *vault) guard(d *drivertest.Driver) (breakDown func(method string, code codes.Code)) {
	speakAll(d)
	grant := func(_ context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if _, err := next(); err != nil {
			return nil, err
		}
		response, err := answerGrant(request)
		if err == nil {
			v.rotate(response.GetCredentials())
		}
		return response, err
	}
	d.Script("DriverGrantBucketAccess", grant)
	return func(method string, code codes.Code) {
		d.Script(method, func(context.Context, proto.Message, drivertest.Next) (proto.Message, error) { return nil, v.fail(code) })
	}
}

// TestSecretsStayInSecrets tells a story in which many secrets are handed out, to
// accesses that are well, broken, repaired and deleted, and looks for each of
// them in everything that can be read afterwards.
func TestSecretsStayInSecrets(t *testing.T) {
	w := newWorldWithoutSidecar(t, func(o *emulator.Options) { o.LogVerbosity = 10 })
	v := &vault{}
	breakDriver := v.guard(w.driver)
	w.addSidecar(t, emulator.ComponentSidecar, w.driver)
	s := w.newScene(t)
	s.Make(s.bucketClass(), s.accessClass(forSeveralBuckets))
	var accesses []*v1alpha2.BucketAccess
	for _, protocol := range []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolAzure, v1alpha2.ProtocolGCS} {
		name := strings.ToLower(string(protocol))
		first, second := s.claim(name+"-1"), s.claim(name+"-2")
		first.Spec.Protocols, second.Spec.Protocols = []v1alpha2.Protocol{protocol}, []v1alpha2.Protocol{protocol}
		access := s.access(name, first.Name, second.Name)
		access.Spec.Protocol = protocol
		s.Make(first, second, access)
		accesses = append(accesses, access)
	}
	for _, access := range accesses {
		s.WaitReady(access)
	}
	for _, access := range accesses {
		s.expectRotation(v, access, func(secret *corev1.Secret) { secret.Data = nil })
		s.expectRotation(v, access, func(secret *corev1.Secret) { secret.Data["extra"] = []byte("x") })
	}
	// A key that is rotated cannot be had, and then it can.
	breakDriver("DriverGrantBucketAccess", codes.PermissionDenied)
	broken := secretOf(accesses[0], 0)
	s.Modify(broken, func() { broken.Data = nil })
	message := s.WaitCondition(accesses[0], v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	if !strings.Contains(message, "it is Sunday") {
		t.Errorf("the message is not the driver's: %s", message)
	}
	w.driver.Stop()
	v.guard(w.driver)
	w.driver.Serve()
	s.Eventually(func() error { return s.filled(accesses[0]) })
	// Nor can one be revoked.
	breakDriver("DriverRevokeBucketAccess", codes.InvalidArgument)
	s.Remove(accesses[1])
	s.WaitCondition(accesses[1], v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	s.expectNoSecretAnywhere(v.all())
	w.driver.Stop()
	w.driver.Script("DriverRevokeBucketAccess", nil)
	w.driver.Serve()
	s.WaitGone(accesses[1])
	s.clear()
	s.expectNoSecretAnywhere(v.all())
}

// expectRotation edits a Secret, which brings a new key into it: one that the
// vault has handed out, into all Secrets of the access.
func (s *scene) expectRotation(v *vault, access *v1alpha2.BucketAccess, edit func(*corev1.Secret)) {
	s.Helper()
	before := len(v.all())
	secret := secretOf(access, 0)
	s.Modify(secret, func() { edit(secret) })
	s.Eventually(func() error {
		handed := v.all()
		if len(handed) == before {
			return fmt.Errorf("nothing new for %s", access.Name)
		}
		for n := range access.Spec.BucketClaims {
			if err := s.holds(secretOf(access, n), handed[len(handed)-1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// holds returns an error if a Secret does not have a value in it.
func (s *scene) holds(secret *corev1.Secret, value string) error {
	if err := s.Refresh(secret); err != nil {
		return err
	}
	for _, data := range secret.Data {
		if string(data) == value {
			return nil
		}
	}
	return fmt.Errorf("Secret %s does not have the latest key", secret.Name)
}

// expectNoSecretAnywhere looks into the journal, which has all requests, calls
// and logs, and into all Events and objects but Secrets.
func (s *scene) expectNoSecretAnywhere(secrets []string) {
	s.Helper()
	written, err := os.ReadFile(s.emu.Info().Journal)
	s.Must(err)
	if !bytes.Contains(written, []byte("hmac-id")) {
		s.Error("the journal does not even have the ID of the key: the test looks in the wrong place")
	}
	places := map[string][]byte{"journal": written}
	for _, list := range []client.ObjectList{
		&eventsv1.EventList{}, &v1alpha2.BucketList{}, &v1alpha2.BucketClaimList{}, &v1alpha2.BucketAccessList{},
	} {
		s.Must(s.List(s.Context(), list))
		places[fmt.Sprintf("%T", list)], err = json.Marshal(list)
		s.Must(err)
	}
	for place, content := range places {
		for _, secret := range secrets {
			for _, form := range formsOf(secret) {
				if bytes.Contains(content, []byte(form)) {
					s.Errorf("%s has secret %q, as %q: %s", place, secret, form, lineOf(content, form))
				}
			}
		}
	}
}

// lineOf is the line of a text that has something in it, shortened.
func lineOf(text []byte, something string) string {
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(something)) {
			return string(line[:min(len(line), 300)])
		}
	}
	return ""
}

// formsOf are the ways in which a secret may have been written.
func formsOf(secret string) []string {
	quoted := fmt.Sprintf("%q", secret)
	return []string{
		secret, quoted[1 : len(quoted)-1], url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
	}
}
