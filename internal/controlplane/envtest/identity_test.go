//go:build unix

package envtest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestProgramsIdentities(t *testing.T) {
	ctx := testContext(t)
	dir := filepath.Join(t.TempDir(), "cp")
	c := start(t, controlplane.Options{Dir: dir})

	t.Run("AdminByKubeconfig", func(t *testing.T) {
		cfg, err := clientcmd.RESTConfigFromKubeConfig(c.Kubeconfig())
		if err != nil {
			t.Fatal(err)
		}
		if got := whoAmI(t, cfg); !strings.Contains(strings.Join(got.Groups, " "), "system:masters") {
			t.Errorf("the kubeconfig's user is %+v", got)
		}
	})
	t.Run("User", func(t *testing.T) {
		cfg, err := c.UserConfig("alice", "painters", "plumbers")
		if err != nil {
			t.Fatal(err)
		}
		got := whoAmI(t, cfg)
		want := authenticationv1.UserInfo{Username: "alice", Groups: []string{"painters", "plumbers", "system:authenticated"}}
		if diff := cmp.Diff(want.Username, got.Username); diff != "" {
			t.Errorf("name: -want +got\n%s", diff)
		}
		if diff := cmp.Diff(want.Groups, got.Groups); diff != "" {
			t.Errorf("groups: -want +got\n%s", diff)
		}
	})
	t.Run("LongerThanAMonth", func(t *testing.T) { expectLasting(t, c.AdminConfig()) })
	t.Run("NoRightsUnlessGiven", func(t *testing.T) {
		cfg, err := c.UserConfig("bob")
		if err != nil {
			t.Fatal(err)
		}
		bob := kubernetes.NewForConfigOrDie(cfg)
		if _, err := bob.CoreV1().Secrets("default").List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("a user without a role: got %v", err)
		}
		grantSecrets(ctx, t, client(t, c), "bob")
		harness.Until(t, "the role takes effect", func(context.Context) (bool, error) {
			_, err := bob.CoreV1().Secrets("default").List(ctx, metav1.ListOptions{})
			return err == nil, nil
		})
	})
	t.Run("NobodyWithoutCertificate", func(t *testing.T) {
		_, err := kubernetes.NewForConfigOrDie(rest.AnonymousClientConfig(c.AdminConfig())).CoreV1().
			Namespaces().List(ctx, metav1.ListOptions{})
		if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("FilesAreTheUsersOwn", func(t *testing.T) { checkModes(t, dir) })
}

// checkModes checks each file that others could read, and that they cannot reach it.
func checkModes(t *testing.T, dir string) {
	t.Helper()
	for _, private := range []string{".", "certs", "run", "etcd", "logs"} {
		info, err := os.Stat(filepath.Join(dir, private))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v", private, info.Mode())
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "certs", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no certificates: %v", err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
}

func whoAmI(t *testing.T, cfg *rest.Config) authenticationv1.UserInfo {
	t.Helper()
	review, err := kubernetes.NewForConfigOrDie(cfg).AuthenticationV1().SelfSubjectReviews().
		Create(testContext(t), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return review.Status.UserInfo
}

func grantSecrets(ctx context.Context, t *testing.T, kube kubernetes.Interface, user string) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "secrets"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"list"}}},
	}
	if _, err := kube.RbacV1().Roles("default").Create(ctx, role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "secrets"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "secrets"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
	}
	if _, err := kube.RbacV1().RoleBindings("default").Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// expectLasting expects that the certificates of client and server last for an emulator that runs
// for a month.
func expectLasting(t *testing.T, cfg *rest.Config) {
	t.Helper()
	pair, err := tls.X509KeyPair(cfg.CertData, cfg.KeyData)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cfg.CAData)
	dialer := &tls.Dialer{Config: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(testContext(t), "tcp", strings.TrimPrefix(cfg.Host, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // the handshake is enough
	secure, ok := conn.(*tls.Conn)
	if !ok {
		t.Fatalf("the connection is a %T", conn)
	}
	month := time.Now().AddDate(0, 1, 1)
	for _, certificate := range append(secure.ConnectionState().PeerCertificates, pair.Leaf) {
		if certificate.NotAfter.Before(month) {
			t.Errorf("the certificate of %s expires at %s, want after %s", certificate.Subject, certificate.NotAfter, month)
		}
	}
}

func pid(tb testing.TB, c *envtest.ControlPlane, name string) int {
	tb.Helper()
	for _, process := range c.Processes() {
		if process.Name == name {
			return process.PID
		}
	}
	tb.Fatalf("no process %s in %v", name, c.Processes())
	return 0
}
