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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/cosi-emu/cosi-emu/internal/driveraccount"
)

// token is the token that the fake client issues.
const token = "fake-token"

func cluster(funcs interceptor.Funcs) client.Client {
	name := driveraccount.Name()
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
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := &rest.Config{Host: tc.host, TLSClientConfig: rest.TLSClientConfig{CAData: []byte("authority")}}
			account, err := driveraccount.Write(t.Context(), cluster(interceptor.Funcs{}), cfg, dir)
			if err != nil {
				t.Fatal(err)
			}
			namespace := driveraccount.Name().Namespace
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
	denied := interceptor.Funcs{SubResourceCreate: func(
		context.Context, client.Client, string, client.Object, client.Object, ...client.SubResourceCreateOption,
	) error {
		return errors.New("denied")
	}}
	tests := map[string]struct {
		host  string
		funcs interceptor.Funcs
		want  string
	}{
		"URL":   {"https://host:port", interceptor.Funcs{}, "the URL of the API server"},
		"Token": {"https://127.0.0.1:6443", denied, "ServiceAccount cosi-system/cosi-driver, of deploy/driver-rbac: denied"},
	}
	for name, tc := range tests {
		dir := t.TempDir()
		_, err := driveraccount.Write(t.Context(), cluster(tc.funcs), &rest.Config{Host: tc.host}, dir)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left, %v", name, left, err)
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

// TestCreateRights creates the ServiceAccount after its namespace, and names the file in an error.
func TestCreateRights(t *testing.T) {
	var kinds []string
	err := driveraccount.CreateRights(t.Context(), func(_ context.Context, objects []*unstructured.Unstructured) error {
		for _, o := range objects {
			kinds = append(kinds, o.GetKind())
			if o.GetKind() == "ServiceAccount" && client.ObjectKeyFromObject(o) != driveraccount.Name() {
				t.Errorf("ServiceAccount %s, want %s", client.ObjectKeyFromObject(o), driveraccount.Name())
			}
		}
		return nil
	})
	if err != nil || !slices.Contains(kinds, "ServiceAccount") {
		t.Errorf("created %v, %v", kinds, err)
	}
	failed := errors.New("no connection")
	err = driveraccount.CreateRights(t.Context(), func(context.Context, []*unstructured.Unstructured) error { return failed })
	if !errors.Is(err, failed) || !strings.Contains(err.Error(), "driver-rbac/driver.yaml") {
		t.Errorf("got %v", err)
	}
}
