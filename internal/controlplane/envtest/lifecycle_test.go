//go:build unix

package envtest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/planetest"
)

func TestProgramsStartAndStopLeaveNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cp")
	var phases []controlplane.Phase
	c := start(t, controlplane.Options{Dir: dir, Phase: func(p controlplane.Phase) {
		p.Elapsed = 0
		phases = append(phases, p)
	}})
	want := []controlplane.Phase{
		{Name: "etcd"}, {Name: "etcd", Done: true},
		{Name: "kube-apiserver"}, {Name: "kube-apiserver", Done: true},
		{Name: "kube-controller-manager"}, {Name: "kube-controller-manager", Done: true},
	}
	if diff := cmp.Diff(want, phases); diff != "" {
		t.Errorf("phases: -want +got\n%s", diff)
	}
	// The watchdog and three components.
	harness.Until(t, "four processes run", func(context.Context) (bool, error) { return len(harness.Processes(t, dir)) == 4, nil })
	stop(t, c)
	stop(t, c)
	if left := harness.Processes(t, dir); len(left) > 0 {
		t.Errorf("processes after Stop: %v", left)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is there after Stop: %v", err)
	}
}

func TestProgramsTwoAtOnce(t *testing.T) {
	a, b := start(t, controlplane.Options{}), start(t, controlplane.Options{})
	if a.AdminConfig().Host == b.AdminConfig().Host {
		t.Fatalf("both listen on %s", a.AdminConfig().Host)
	}
	ctx := testContext(t)
	makeNamespace(ctx, t, a, "only-in-a")
	if _, err := client(t, b).CoreV1().Namespaces().Get(ctx, "only-in-a", metav1.GetOptions{}); err == nil {
		t.Errorf("a namespace of one control plane is in the other")
	}
}

func TestProgramsDataIsKept(t *testing.T) {
	ctx := testContext(t)
	dir := t.TempDir()
	first := start(t, controlplane.Options{Dir: dir, KeepData: true})
	makeNamespace(ctx, t, first, "kept")
	stop(t, first)
	second := start(t, controlplane.Options{Dir: dir, KeepData: true})
	if _, err := client(t, second).CoreV1().Namespaces().Get(ctx, "kept", metav1.GetOptions{}); err != nil {
		t.Errorf("after a restart: %v", err)
	}
}

func TestProgramsComponentsRestart(t *testing.T) {
	ctx := testContext(t)
	c := start(t, controlplane.Options{})
	makeNamespace(ctx, t, c, "before")
	// A kube-controller-manager that has not reached its API server yet exits without it.
	if err := c.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	kube := client(t, c)
	for _, name := range []string{controlplane.APIServer, controlplane.Etcd, controlplane.ControllerManager} {
		t.Run(name, func(t *testing.T) {
			if err := c.StopComponent(ctx, name); err != nil {
				t.Fatal(err)
			}
			if got := pid(t, c, name); got != 0 {
				t.Errorf("process ID %d after the stop", got)
			}
			if err := c.StartComponent(ctx, name); err != nil {
				t.Fatal(err)
			}
			// The same client works, because address, certificate and data are the same.
			harness.Until(t, "the API server answers", func(context.Context) (bool, error) {
				_, err := kube.CoreV1().Namespaces().Get(ctx, "before", metav1.GetOptions{})
				return err == nil, nil
			})
		})
	}
	select {
	case err := <-c.Failed():
		t.Errorf("a stop that was asked for is reported as a failure: %v", err)
	default:
	}
	if err := c.StopComponent(ctx, "kube-scheduler"); !errors.Is(err, controlplane.ErrNoComponent) {
		t.Errorf("stop an unknown component: got %v", err)
	}
}

func client(tb testing.TB, c *envtest.ControlPlane) *kubernetes.Clientset {
	tb.Helper()
	return kubernetes.NewForConfigOrDie(c.AdminConfig())
}

func makeNamespace(ctx context.Context, tb testing.TB, c *envtest.ControlPlane, name string) {
	tb.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := client(tb, c).CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		tb.Fatal(err)
	}
}

func TestControlPlane(t *testing.T) {
	planetest.Run(t, func(tb testing.TB, opts controlplane.Options) controlplane.ControlPlane {
		tb.Helper()
		return start(tb, opts)
	})
}

func TestProgramsPods(t *testing.T) {
	planetest.RunPods(t, func(tb testing.TB, opts controlplane.Options) controlplane.ControlPlane {
		tb.Helper()
		return start(tb, opts)
	})
}
