package helm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const (
	name    = "photos" // of the release, and of its objects
	timeout = 2 * time.Minute
)

// TestHelm installs, upgrades, rolls back and uninstalls a chart with a claim and an access.
func TestHelm(t *testing.T) {
	t.Parallel()
	for _, kind := range []emulator.ControlPlaneKind{emulator.ControlPlaneEmbedded, emulator.ControlPlaneEnvtest} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			emu, err := emulator.Start(t.Context(), emulator.Options{ControlPlaneKind: kind})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			testRelease(t, emu, metav1.NamespaceDefault)
		})
	}
}

func testRelease(t *testing.T, emu *emulator.Emulator, namespace string) {
	t.Helper()
	helm := connect(t, emu, namespace)
	chart, err := loader.Load("testdata/photos")
	if err != nil {
		t.Fatal(err)
	}

	install := action.NewInstall(helm)
	install.ReleaseName, install.Namespace, install.Timeout, install.WaitStrategy = name, namespace, timeout, kube.StatusWatcherStrategy
	if _, err := install.RunWithContext(t.Context(), chart, nil); err != nil {
		t.Fatal("helm install:", err)
	}
	expectTheme(t, emu, namespace, "light")

	upgrade := action.NewUpgrade(helm)
	upgrade.Namespace, upgrade.Timeout, upgrade.WaitStrategy = namespace, timeout, kube.StatusWatcherStrategy
	if _, err := upgrade.RunWithContext(t.Context(), name, chart, map[string]any{"theme": "dark"}); err != nil {
		t.Fatal("helm upgrade:", err)
	}
	expectTheme(t, emu, namespace, "dark")

	rollback := action.NewRollback(helm)
	rollback.Version, rollback.Timeout, rollback.WaitStrategy = 1, timeout, kube.StatusWatcherStrategy
	if err := rollback.Run(name); err != nil {
		t.Fatal("helm rollback:", err)
	}
	expectTheme(t, emu, namespace, "light")
	expectHistory(t, helm, "superseded", "superseded", "deployed")
	expectReady(t, emu, namespace)

	uninstall := action.NewUninstall(helm)
	uninstall.Timeout, uninstall.WaitStrategy, uninstall.DeletionPropagation = timeout, kube.StatusWatcherStrategy, "foreground"
	if _, err := uninstall.Run(name); err != nil {
		t.Fatal("helm uninstall:", err)
	}
	expectGone(t, emu, namespace)
}

// connect gives Helm the kubeconfig of an emulator.
func connect(t *testing.T, emu *emulator.Emulator, namespace string) *action.Configuration {
	t.Helper()
	settings := cli.New()
	settings.KubeConfig = emu.Info().Kubeconfig
	settings.SetNamespace(namespace)
	helm := action.NewConfiguration()
	if err := helm.Init(settings.RESTClientGetter(), namespace, "secret"); err != nil {
		t.Fatal(err)
	}
	return helm
}

func expectTheme(t *testing.T, emu *emulator.Emulator, namespace, want string) {
	t.Helper()
	var settings corev1.ConfigMap
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &settings); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"theme": want}, settings.Data); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// expectHistory compares the states of all revisions, the first one first.
func expectHistory(t *testing.T, helm *action.Configuration, want ...string) {
	t.Helper()
	revisions, err := action.NewHistory(helm).Run(name)
	if err != nil {
		t.Fatal("helm history:", err)
	}
	var got []string
	for _, r := range revisions {
		got = append(got, r.(*release.Release).Info.Status.String()) //nolint:forcetypeassert // a chart of API version v2 has these
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b string) bool { return a > b })); diff != "" {
		t.Errorf("states of the revisions (-want +got):\n%s", diff)
	}
}

// expectReady expects that the bucket is provisioned, and the Secret of the access written.
func expectReady(t *testing.T, emu *emulator.Emulator, namespace string) {
	t.Helper()
	harness.Until(t, "claim and access are ready", func(ctx context.Context) (bool, error) {
		var claim v1alpha2.BucketClaim
		var access v1alpha2.BucketAccess
		key := client.ObjectKey{Namespace: namespace, Name: name}
		err := errors.Join(emu.Client().Get(ctx, key, &claim), emu.Client().Get(ctx, key, &access))
		return claim.Status.ReadyToUse && access.Status.ReadyToUse, err
	})
	var secret corev1.Secret
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name + "-credentials"}, &secret); err != nil {
		t.Error(err)
	}
}

func expectGone(t *testing.T, emu *emulator.Emulator, namespace string) {
	t.Helper()
	for _, object := range []client.Object{&v1alpha2.BucketClaim{}, &v1alpha2.BucketAccess{}, &corev1.ConfigMap{}} {
		object.SetNamespace(namespace)
		object.SetName(name)
		if err := emu.Client().Get(t.Context(), client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
			t.Errorf("%T after helm uninstall: %v", object, err)
		}
	}
	var left corev1.SecretList
	if err := emu.Client().List(t.Context(), &left, client.InNamespace(namespace), client.MatchingLabels{"owner": "helm"}); err != nil {
		t.Fatal(err)
	}
	if len(left.Items) > 0 {
		t.Errorf("%d Secrets of Helm are left", len(left.Items))
	}
}
