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
	cl := newTestClusterWithoutSidecar(t, func(o *emulator.Options) { o.LogVerbosity = 10 })
	v := &vault{}
	breakDriver := v.guard(cl.driver)
	cl.addSidecar(t, emulator.ComponentSidecar, cl.driver)
	cl.Make(cl.bucketClass(), cl.accessClass(forSeveralBuckets))
	var accesses []*v1alpha2.BucketAccess
	for _, protocol := range []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolAzure, v1alpha2.ProtocolGCS} {
		name := strings.ToLower(string(protocol))
		first, second := cl.claim(name+"-1"), cl.claim(name+"-2")
		first.Spec.Protocols, second.Spec.Protocols = []v1alpha2.Protocol{protocol}, []v1alpha2.Protocol{protocol}
		access := cl.access(name, first.Name, second.Name)
		access.Spec.Protocol = protocol
		cl.Make(first, second, access)
		accesses = append(accesses, access)
	}
	for _, access := range accesses {
		cl.WaitReady(access)
	}
	for _, access := range accesses {
		cl.expectRotation(v, access, func(secret *corev1.Secret) { secret.Data = nil })
		cl.expectRotation(v, access, func(secret *corev1.Secret) { secret.Data["extra"] = []byte("x") })
	}
	// A key that is rotated cannot be had, and then it can.
	breakDriver("DriverGrantBucketAccess", codes.PermissionDenied)
	broken := secretOf(accesses[0], 0)
	cl.Modify(broken, func() { broken.Data = nil })
	message := cl.WaitCondition(accesses[0], v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	if !strings.Contains(message, "it is Sunday") {
		t.Errorf("the message is not the driver's: %s", message)
	}
	cl.driver.Stop()
	v.guard(cl.driver)
	cl.driver.Serve()
	cl.Eventually(func() error { return cl.filled(accesses[0]) })
	// Nor can one be revoked.
	breakDriver("DriverRevokeBucketAccess", codes.InvalidArgument)
	cl.Remove(accesses[1])
	cl.WaitCondition(accesses[1], v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.expectNoSecretAnywhere(v.all())
	cl.driver.Stop()
	cl.driver.Script("DriverRevokeBucketAccess", nil)
	cl.driver.Serve()
	cl.WaitGone(accesses[1])
	cl.clear()
	cl.expectNoSecretAnywhere(v.all())
}

// expectRotation edits a Secret, which brings a new key into it: one that the
// vault has handed out, into all Secrets of the access.
func (cl *testCluster) expectRotation(v *vault, access *v1alpha2.BucketAccess, edit func(*corev1.Secret)) {
	cl.Helper()
	before := len(v.all())
	secret := secretOf(access, 0)
	cl.Modify(secret, func() { edit(secret) })
	cl.Eventually(func() error {
		handed := v.all()
		if len(handed) == before {
			return fmt.Errorf("nothing new for %s", access.Name)
		}
		for n := range access.Spec.BucketClaims {
			if err := cl.holds(secretOf(access, n), handed[len(handed)-1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// holds returns an error if a Secret does not have a value in it.
func (cl *testCluster) holds(secret *corev1.Secret, value string) error {
	if err := cl.Refresh(secret); err != nil {
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
func (cl *testCluster) expectNoSecretAnywhere(secrets []string) {
	cl.Helper()
	written, err := os.ReadFile(cl.emu.Info().Journal)
	cl.Must(err)
	if !bytes.Contains(written, []byte("hmac-id")) {
		cl.Error("the journal does not even have the ID of the key: the test looks in the wrong place")
	}
	places := map[string][]byte{"journal": written}
	for _, list := range []client.ObjectList{
		&eventsv1.EventList{}, &v1alpha2.BucketList{}, &v1alpha2.BucketClaimList{}, &v1alpha2.BucketAccessList{},
	} {
		cl.Must(cl.List(cl.Context(), list))
		places[fmt.Sprintf("%T", list)], err = json.Marshal(list)
		cl.Must(err)
	}
	for place, content := range places {
		for _, secret := range secrets {
			for _, form := range formsOf(secret) {
				if bytes.Contains(content, []byte(form)) {
					cl.Errorf("%s has secret %q, as %q: %s", place, secret, form, lineOf(content, form))
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
