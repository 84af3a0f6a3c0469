package main_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestSecureMetrics reads the metrics of both components with HTTPS, as Prometheus does: they use
// the certificate of the flags, and the API server authorizes readers.
func TestSecureMetrics(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	plane := controlplanetest.Start(t)
	client, err := kubernetes.NewForConfig(plane.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := h.write("kubeconfig", string(plane.Kubeconfig()))
	socket := "unix://" + filepath.Join(h.dir, "d.sock")
	h.start("driver", "--driver-name", "metrics.example.com", "--endpoint", socket, "--s3-bind-address", "127.0.0.1:0")
	allowed, other := newReader(t, client, true), newReader(t, client, false)
	for _, component := range [][]string{{"controller"}, {"sidecar", "--endpoint", socket, "--enable-http2"}} {
		t.Run(component[0], func(t *testing.T) {
			t.Parallel()
			address, pool := harness.FreeAddress(t), h.metricsCertificate(component[0])
			h.start(append(component, "--kubeconfig", kubeconfig, "--metrics-bind-address", address,
				"--metrics-cert-path", h.dir, "--metrics-cert-name", component[0]+".pem", "--metrics-cert-key", component[0]+".key")...)
			for token, want := range map[string]int{"": http.StatusUnauthorized, other: http.StatusForbidden, allowed: http.StatusOK} {
				var protocol int
				harness.Eventually(t, fmt.Sprintf("status %d", want), func(ctx context.Context) error {
					status, used, err := readMetrics(ctx, address, pool, token)
					if err == nil && status != want {
						err = fmt.Errorf("status %d", status)
					}
					protocol = used
					return err
				})
				if http2 := len(component) > 1; (protocol == 2) != http2 {
					t.Errorf("HTTP/%d, want HTTP/2: %t", protocol, http2)
				}
			}
		})
	}
}

// metricsCertificate writes a certificate for 127.0.0.1, and returns the one that signed it.
func (h *home) metricsCertificate(name string) *x509.CertPool {
	h.t.Helper()
	authority, err := certs.New("127.0.0.1")
	if err != nil {
		h.t.Fatal(err)
	}
	pair, err := authority.NewServer("metrics", "127.0.0.1")
	if err != nil {
		h.t.Fatal(err)
	}
	h.write(name+".pem", string(pair.CertificatePEM))
	h.write(name+".key", string(pair.KeyPEM))
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority.CertificatePEM()) {
		h.t.Fatal("the authority has no certificate")
	}
	return pool
}

// newReader returns the token of a ServiceAccount that may read metrics, or not.
func newReader(t *testing.T, client kubernetes.Interface, allowed bool) string {
	t.Helper()
	ctx, name := t.Context(), strings.ToLower(fmt.Sprintf("%s-%t", t.Name(), allowed))
	_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err == nil && allowed {
		err = allowMetrics(ctx, client, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).CreateToken(ctx, name,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

func allowMetrics(ctx context.Context, client kubernetes.Interface, account string) error {
	meta := metav1.ObjectMeta{Name: account}
	_, err := client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: account},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceDefault, Name: account}},
	}, metav1.CreateOptions{})
	return err
}

// readMetrics returns the status, and the version of HTTP.
func readMetrics(ctx context.Context, address string, pool *x509.CertPool, token string) (status, protocol int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/metrics", http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, 0, err
	}
	return response.StatusCode, response.ProtoMajor, response.Body.Close()
}
