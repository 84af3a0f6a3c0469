package deploy_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())                                 // its complaint that there is none would be the only output
	_ = os.Setenv(controlplanetest.Variable, string(kind.Envtest)) // no other control plane has Deployments
	os.Exit(m.Run())
}

func connect(t *testing.T) client.Client {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs a control plane")
	}
	binariestest.Find(t)
	c, err := client.New(controlplanetest.Start(t).AdminConfig(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(c, metav1.FieldValidationStrict)
}

// TestApply applies the manifests to an API server, in their order and twice.
// KEP: FLOW-INSTALL-2, FLOW-INSTALL-3, FLOW-INSTALL-4, PRR-1, PRR-2
// Design: CSI-LIFE-4
func TestApply(t *testing.T) {
	c := connect(t)
	for range 2 {
		for _, dir := range []string{".", "example-driver"} {
			if err := manifest.Apply(t.Context(), c, deploytest.Build(t, dir)); err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
		}
	}
	// The namespace admits Pods of the strictest kind only.
	for name, template := range templates(t) {
		pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
		pod.Namespace, pod.GenerateName = deploy.Namespace, name+"-"
		if err := c.Create(t.Context(), pod, client.DryRunAll); err != nil {
			t.Errorf("the Pods of %s are not admitted: %v", name, err)
		}
		pod.ResourceVersion, pod.Name, pod.UID = "", "", ""
		pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(true)
		if err := c.Create(t.Context(), pod, client.DryRunAll); err == nil {
			t.Errorf("%s: a Pod that may escalate its privileges is admitted", name)
		}
	}
}
