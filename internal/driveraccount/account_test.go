package driveraccount_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/cosi-emu/cosi-emu/internal/driveraccount"
)

// name is the name of the ServiceAccount.
var name = types.NamespacedName{Namespace: "cosi-system", Name: "cosi-driver"}

// token is the token that the fake client issues.
const token = "fake-token"

// withToken answers requests for a token with an error.
func withToken(err error) interceptor.Funcs {
	return interceptor.Funcs{SubResourceCreate: func(
		context.Context, client.Client, string, client.Object, client.Object, ...client.SubResourceCreateOption,
	) error {
		return err
	}}
}

func cluster(funcs interceptor.Funcs) client.Client {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	return fake.NewClientBuilder().WithObjects(account).WithInterceptorFuncs(funcs).Build()
}

// TestWrite: the kubeconfig and the files of the Pod have the same token, and only their owner can
// read them.
func TestWrite(t *testing.T) {
	tests := map[string]struct {
		reason     string
		host       string
		name, port string
	}{
		"Port":   {"Emulators choose a port.", "https://127.0.0.1:6443", "127.0.0.1", "6443"},
		"NoPort": {"The default of https.", "https://api.example.com", "api.example.com", "443"},
		"IPv6":   {"Variables have no brackets.", "https://[::1]:6443", "::1", "6443"},
	}
	for title, tc := range tests {
		t.Run(title, func(t *testing.T) {
			dir := t.TempDir()
			cfg := &rest.Config{Host: tc.host, TLSClientConfig: rest.TLSClientConfig{CAData: []byte("authority")}}
			account, err := driveraccount.Write(t.Context(), cluster(interceptor.Funcs{}), cfg, name, dir)
			if err != nil {
				t.Fatal(err)
			}
			namespace := name.Namespace
			want := driveraccount.Account{Dir: filepath.Join(dir, "serviceaccount"), Variables: map[string]string{
				"KUBECONFIG": filepath.Join(dir, "kubeconfig"), "POD_NAMESPACE": namespace,
				"KUBERNETES_SERVICE_HOST": tc.name, "KUBERNETES_SERVICE_PORT": tc.port,
			}}
			if diff := cmp.Diff(want, account); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
			expectFiles(t, account.Dir, map[string]string{"token": token, "ca.crt": "authority", "namespace": namespace})
			loaded, err := clientcmd.BuildConfigFromFlags("", account.Variables["KUBECONFIG"])
			if err != nil || loaded.Host != tc.host || loaded.BearerToken != token || string(loaded.CAData) != "authority" {
				t.Errorf("the kubeconfig is for %+v, %v", loaded, err)
			}
		})
	}
}

func expectFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for name := range want {
		file := filepath.Join(dir, name)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(content)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v, %v", file, info.Mode(), err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestWriteFails names the object or the setting that is wrong.
func TestWriteFails(t *testing.T) {
	missing := apierrors.NewNotFound(corev1.Resource("serviceaccounts"), name.Name)
	tests := map[string]struct {
		host  string
		funcs interceptor.Funcs
		want  string
	}{
		"URL":     {"https://host:port", interceptor.Funcs{}, "the URL of the API server"},
		"Token":   {"https://127.0.0.1:6443", withToken(errors.New("denied")), "ServiceAccount cosi-system/cosi-driver: denied"},
		"Missing": {"https://127.0.0.1:6443", withToken(missing), "not found; apply deploy/driver-rbac"},
	}
	for title, tc := range tests {
		dir := t.TempDir()
		_, err := driveraccount.Write(t.Context(), cluster(tc.funcs), &rest.Config{Host: tc.host}, name, dir)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", title, err, tc.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left, %v", title, left, err)
		}
	}
}

// TestProcessVariables: a driver that the emulator runs gets neither the kubeconfig of the account,
// nor the variables of in-cluster configuration without its files.
func TestProcessVariables(t *testing.T) {
	account := driveraccount.Account{Dir: t.TempDir(), Variables: map[string]string{
		"KUBECONFIG": "a", "POD_NAMESPACE": "b", "KUBERNETES_SERVICE_HOST": "c", "KUBERNETES_SERVICE_PORT": "d",
	}}
	if diff := cmp.Diff(map[string]string{"POD_NAMESPACE": "b"}, account.ProcessVariables()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := slices.Sorted(maps.Keys(account.Variables)); len(got) != 4 {
		t.Errorf("the account's own variables have changed: %v", got)
	}
}

// TestRightsOf: without a manifest of its own, a driver has the rights of deploy/driver-rbac.
func TestRightsOf(t *testing.T) {
	const own = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: mine, namespace: storage}\n"
	for title, tc := range map[string]struct {
		manifest []byte
		account  types.NamespacedName
		kinds    []string
	}{
		"Default": {account: name, kinds: []string{"ServiceAccount", "ClusterRole", "ClusterRoleBinding"}},
		"Own": {
			manifest: []byte(own), account: types.NamespacedName{Namespace: "storage", Name: "mine"},
			kinds: []string{"Namespace", "ServiceAccount"},
		},
	} {
		granted, err := driveraccount.RightsOf(tc.manifest)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, object := range granted.Objects {
			kinds = append(kinds, object.GetKind())
		}
		if diff := cmp.Diff(tc.kinds, kinds); diff != "" || granted.Account != tc.account {
			t.Errorf("%s: ServiceAccount %s, want %s; kinds -want, +got:\n%s", title, granted.Account, tc.account, diff)
		}
	}
}
