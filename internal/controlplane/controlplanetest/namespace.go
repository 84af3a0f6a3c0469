package controlplanetest

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const callTimeout = time.Minute

// Namespace creates a namespace with a unique name in the shared control plane, and
// returns the name. The namespace is deleted at the end of the test, which does not
// wait for the deletion.
func Namespace(tb testing.TB) string {
	tb.Helper()
	return NamespaceIn(tb, Start(tb))
}

// NamespaceIn is Namespace for another control plane than Start's.
func NamespaceIn(tb testing.TB, plane interface{ AdminConfig() *rest.Config }) string {
	tb.Helper()
	client, err := kubernetes.NewForConfig(plane.AdminConfig())
	if err != nil {
		tb.Fatalf("make a namespace for the test: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	namespace, err := client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatalf("make a namespace for the test: %v", err)
	}
	tb.Cleanup(func() { remove(tb, client, namespace.Name) })
	return namespace.Name
}

func remove(tb testing.TB, client kubernetes.Interface, name string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	if err := client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		tb.Logf("delete the test's namespace: %v", err)
	}
}
