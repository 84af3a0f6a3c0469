// Package planetest has tests that every implementation of a control plane passes: what
// COSI and its users see of an API server and its controllers.
package planetest

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// timeout bounds a test.
const timeout = 2 * time.Minute

// Start starts a control plane that stops with the test. It fills in the directory, and the other
// requirements of the implementation.
type Start func(tb testing.TB, opts controlplane.Options) controlplane.ControlPlane

// Run runs all tests on a control plane with the COSI kinds.
func Run(t *testing.T, start Start) {
	t.Helper()
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	plane := start(t, controlplane.Options{CRDs: kinds})
	if err := plane.WaitReady(testContext(t)); err != nil {
		t.Fatal(err)
	}
	f := &fixture{plane: plane, config: plane.AdminConfig(), kube: kubernetes.NewForConfigOrDie(plane.AdminConfig())}
	t.Run("Identities", f.testIdentities)
	t.Run("Tokens", f.testTokens)
	t.Run("Rights", f.testRights)
	t.Run("Escalation", f.testEscalation)
	t.Run("Secrets", f.testSecrets)
	t.Run("Kinds", f.testKinds)
	t.Run("Events", f.testEvents)
	t.Run("Namespaces", f.testNamespaces)
	t.Run("Pods", f.testPods)
	t.Run("Writes", f.testWrites)
	t.Run("Apply", f.testApply)
	t.Run("DryRun", f.testDryRun)
	t.Run("Deletes", f.testDeletes)
	t.Run("Custom", f.testCustom)
	t.Run("Lists", f.testLists)
	t.Run("Watches", f.testWatches)
	t.Run("Discovery", f.testDiscovery)
	t.Run("Tables", f.testTables)
	t.Run("GarbageCollection", f.testGarbageCollection)
	t.Run("NamespaceDeletion", f.testNamespaceDeletion)
	t.Run("NamespaceDeletionAcrossRestart", f.testNamespaceDeletionAcrossRestart)
	t.Run("NamespaceConversionDown", f.testNamespaceConversionDown)
	t.Run("Aggregation", f.testAggregation)
	t.Run("Quota", f.testQuota)
	t.Run("Quotas", f.testQuotas)
	t.Run("Reviews", f.testReviews)
	t.Run("BindToNothing", f.testBindToNothing)
	t.Run("ForeignCertificate", f.testForeignCertificate)
	t.Run("TooLarge", f.testTooLarge)
}

// fixture is a control plane and its administrator.
type fixture struct {
	plane  controlplane.ControlPlane
	config *rest.Config
	kube   kubernetes.Interface
}

func testContext(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	tb.Cleanup(cancel)
	return ctx
}

// namespace creates a namespace for a test, and deletes it after.
func (f *fixture) namespace(t *testing.T) string {
	t.Helper()
	made, err := f.kube.CoreV1().Namespaces().Create(testContext(t),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.kube.CoreV1().Namespaces().Delete(testContext(t), made.Name, metav1.DeleteOptions{}); err != nil {
			t.Logf("delete the test's namespace: %v", err)
		}
	})
	return made.Name
}

// user returns a client of a user.
func (f *fixture) user(t *testing.T, name string, groups ...string) kubernetes.Interface {
	t.Helper()
	cfg, err := f.plane.UserConfig(name, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return kubernetes.NewForConfigOrDie(cfg)
}

// must returns a value unless there is an error.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
