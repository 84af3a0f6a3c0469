package apiserver_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/embedded/apiserver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/embedded/token"
	"github.com/cosi-emu/cosi-emu/internal/emulator/memstore"
)

const address = "127.0.0.1:6443"

func start(t *testing.T) *rest.Config {
	t.Helper()
	began := time.Now()
	store := memstore.New(memstore.Options{})
	t.Cleanup(store.Close)
	issuer, err := token.NewIssuer("https://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	server, err := apiserver.New(apiserver.Options{Storage: store.Decorate, Address: address, Issuer: issuer})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("new after %v", time.Since(began))
	t.Cleanup(server.Stop)
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("started after %v", time.Since(began))
	local := &apiserver.Local{}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	local.Serve(ctx, server.Handler())
	return &rest.Config{
		Host: "https://" + address, QPS: -1,
		Transport: local.Transport(&user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}}),
	}
}

func TestSecrets(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(start(t))
	ctx := t.Context()
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"a": "b"}}
	got, err := client.CoreV1().Secrets("n").Create(ctx, secret, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", got)
}

func TestAgain(t *testing.T) { TestSecrets(t) }
