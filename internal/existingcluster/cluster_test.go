package existingcluster_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // without a logger it would only warn
	os.Exit(m.Run())
}

// admin returns a client with all rights.
func admin(t *testing.T) client.Client {
	t.Helper()
	c, err := client.New(controlplanetest.Start(t).AdminConfig(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, kubeconfig []byte) *existingcluster.Cluster {
	t.Helper()
	c, err := existingcluster.Open(existingcluster.Options{Kubeconfig: write(t, kubeconfig), Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// openShared opens the shared control plane, and leaves it when the test ends.
func openShared(t *testing.T) *existingcluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs a control plane")
	}
	c := open(t, controlplanetest.Start(t).Kubeconfig())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Timeout)
		defer cancel()
		if left, err := c.Uninstall(ctx, ""); err != nil || len(left) > 0 {
			t.Errorf("Leave() = %v, %v", left, err)
		}
	})
	return c
}

func TestOpen(t *testing.T) {
	file := clientcmdapi.NewConfig()
	file.Clusters["a"] = &clientcmdapi.Cluster{Server: "https://a.example.com"}
	file.Clusters["b"] = &clientcmdapi.Cluster{Server: "https://b.example.com"}
	file.AuthInfos["me"] = &clientcmdapi.AuthInfo{Token: "secret-of-me"}
	file.AuthInfos["other"] = &clientcmdapi.AuthInfo{Token: "secret-of-other"}
	file.Contexts["a"] = &clientcmdapi.Context{Cluster: "a", AuthInfo: "me"}
	file.Contexts["b"] = &clientcmdapi.Context{Cluster: "b", AuthInfo: "other"}
	file.CurrentContext = "a"
	data, err := clientcmd.Write(*file)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, data)
	for context, server := range map[string]string{"": "https://a.example.com", "a": "https://a.example.com", "b": "https://b.example.com"} {
		c, err := existingcluster.Open(existingcluster.Options{Kubeconfig: path, Context: context})
		if err != nil {
			t.Fatalf("context %q: %v", context, err)
		}
		if c.Server() != server || context != "" && c.ContextName() != context {
			t.Errorf("context %q leads to %s by %q", context, c.Server(), c.ContextName())
		}
		// The copy contains only the used parts.
		if text := string(c.Kubeconfig()); strings.Contains(text, "secret-of-me") == strings.Contains(text, "secret-of-other") {
			t.Errorf("context %q: the kubeconfig is\n%s", context, text)
		}
	}
	_, err = existingcluster.Open(existingcluster.Options{Kubeconfig: path, Context: "c"})
	if !errors.Is(err, existingcluster.ErrKubeconfig) {
		t.Errorf("a context that there is not: %v", err)
	}
	for name, content := range map[string]string{"no YAML": "}", "empty": "", "no context": "kind: Config\napiVersion: v1\n"} {
		_, err := existingcluster.Open(existingcluster.Options{Kubeconfig: write(t, []byte(content))})
		if !errors.Is(err, existingcluster.ErrKubeconfig) {
			t.Errorf("%s: Open() = %v", name, err)
		}
	}
}

func TestReach(t *testing.T) {
	c := openShared(t)
	if err := c.Reach(t.Context()); err != nil {
		t.Error(err)
	}
	nowhere := open(t, []byte(`
apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: x, user: x}}]
clusters: [{name: x, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: x, user: {token: secret}}]
`))
	if err := nowhere.Reach(t.Context()); !errors.Is(err, existingcluster.ErrUnreachable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("Reach() of nothing = %v", err)
	}
}

func TestServiceAccount(t *testing.T) {
	c := openShared(t)
	if _, err := c.ServiceAccount(t.Context(), deploy.Namespace, "unknown"); !errors.Is(err, existingcluster.ErrNotInstalled) {
		t.Errorf("a ServiceAccount that does not exist: %v", err)
	}
	if err := c.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	cfg, err := c.ServiceAccount(t.Context(), deploy.Namespace, deploy.SidecarServiceAccount)
	if err != nil {
		t.Fatal(err)
	}
	review := &authenticationv1.SelfSubjectReview{}
	if err := clientOf(t, cfg).Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	if got := review.Status.UserInfo.Username; got != "system:serviceaccount:cosi-system:cosi-sidecar" {
		t.Errorf("to the API server it is %s", got)
	}
}

func TestNotPermitted(t *testing.T) {
	c := openShared(t)
	if err := c.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "test-reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "reader"}},
	}
	if _, err := c.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	cfg, err := controlplanetest.Start(t).UserConfig("reader")
	if err != nil {
		t.Fatal(err)
	}
	file, err := clientcmd.Load(controlplanetest.Start(t).Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range file.AuthInfos {
		user.ClientCertificateData, user.ClientKeyData = cfg.CertData, cfg.KeyData
	}
	data, err := clientcmd.Write(*file)
	if err != nil {
		t.Fatal(err)
	}
	reader := open(t, data)
	_, err = reader.ServiceAccount(t.Context(), deploy.Namespace, deploy.ControllerServiceAccount)
	if !errors.Is(err, existingcluster.ErrNotPermitted) || !strings.Contains(err.Error(), "serviceaccounts/token") {
		t.Errorf("ServiceAccount() = %v", err)
	}
}

func clientOf(t *testing.T, cfg *rest.Config) client.Client {
	t.Helper()
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func namespaceOf(t *testing.T) *corev1.Namespace {
	t.Helper()
	namespace := &corev1.Namespace{}
	err := admin(t).Get(t.Context(), client.ObjectKey{Name: deploy.Namespace}, namespace)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return namespace
}
