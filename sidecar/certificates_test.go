package sidecar_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// TestCertificateAuthority: what applications need to trust the storage is in
// their Secrets, and changes there when the sidecar is started with another.
// KEP: SECRET-6
func TestCertificateAuthority(t *testing.T) {
	cl := newTestCluster(t)
	first, second := string(controlplanetest.Start(t).AdminConfig().CAData), ""
	stop := cl.startWith(first)
	access := cl.access([]*v1alpha2.Bucket{cl.readyBucket()})
	cl.secretHas(access, first)
	stop()
	cl.startWith(second)
	cl.secretHas(access, second)
}

func (cl *testCluster) startWith(authority string) (stop func()) {
	cl.Helper()
	cl.options.CertificateAuthority = authority
	return cl.start()
}

func (cl *testCluster) secretHas(access *v1alpha2.BucketAccess, authority string) {
	cl.Helper()
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: access.Namespace, Name: access.Spec.BucketClaims[0].AccessSecretName}
	cl.Eventually(func() error {
		*secret = corev1.Secret{}
		if err := cl.Get(cl.Context(), key, secret); err != nil {
			return err
		}
		got, has := secret.Data[v1alpha2.SecretKeyCertificateAuthority]
		if string(got) != authority || has != (authority != "") || len(secret.Data) < 5 {
			return fmt.Errorf("the Secret has %d keys, and of the certificate authority %q", len(secret.Data), got)
		}
		return nil
	})
}

// KEP: SECRET-6
func TestCertificateAuthorityMustBePEM(t *testing.T) {
	options := cosisidecar.Options{Endpoint: "unix:///d.sock", CertificateAuthority: "-----BEGIN PRIVATE KEY-----"}
	if err := options.Validate(); err == nil {
		t.Error("something that is no certificate would be given to applications")
	}
}
