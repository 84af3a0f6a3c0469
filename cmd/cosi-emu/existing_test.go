package main_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// existing is a cluster that the emulator has not started, without COSI.
type existing struct {
	*cluster
	server, kubeconfig string
}

// newExisting starts a cluster, and writes a kubeconfig in which it is not the current one.
func (h *home) newExisting() *existing {
	h.t.Helper()
	dir := harness.SocketDir(h.t) // outside the home, whose processes are counted
	plane := controlplanetest.StartKind(h.t, h.kind, controlplane.Options{Dir: filepath.Join(dir, "plane")})
	file, err := clientcmd.Load(plane.Kubeconfig())
	if err != nil {
		h.t.Fatal(err)
	}
	file.Contexts["mine"] = file.Contexts[file.CurrentContext]
	file.Clusters["nowhere"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	file.Contexts["other"] = &clientcmdapi.Context{Cluster: "nowhere", AuthInfo: file.Contexts["mine"].AuthInfo}
	file.CurrentContext = "other"
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		h.t.Fatal(err)
	}
	admin := filepath.Join(dir, "admin")
	if err := os.WriteFile(admin, plane.Kubeconfig(), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return &existing{cluster: connect(h.t, admin), server: plane.AdminConfig().Host, kubeconfig: path}
}

// args are the flags for the cluster, and more.
func (x *existing) args(more ...string) []string {
	return append([]string{"--existing-cluster", "--kubeconfig", x.kubeconfig, "--context", "mine"}, more...)
}

// expectClean expects that the cluster contains nothing of COSI.
func (x *existing) expectClean() {
	x.t.Helper()
	err := x.client.Get(x.t.Context(), client.ObjectKey{Name: deploy.Namespace}, &corev1.Namespace{})
	if !apierrors.IsNotFound(err) {
		x.t.Errorf("namespace %s: %v", deploy.Namespace, err)
	}
	fresh := connectConfig(x.t, x.config) // a new client, which discovers the current kinds
	if err := fresh.client.List(x.t.Context(), &v1alpha2.BucketClaimList{}); !meta.IsNoMatchError(err) && !apierrors.IsNotFound(err) {
		x.t.Errorf("BucketClaims: %v", err)
	}
	roles := &rbacv1.ClusterRoleList{}
	if err := x.client.List(x.t.Context(), roles); err != nil {
		x.t.Error(err)
	}
	for _, role := range roles.Items {
		if strings.HasPrefix(role.Name, "cosi-") {
			x.t.Errorf("ClusterRole %s is left", role.Name)
		}
	}
}

func componentNames(info instance.Info) []string {
	var names []string
	for _, c := range info.Components {
		names = append(names, c.Name+" "+string(c.State))
	}
	slices.Sort(names)
	return names
}

// apply is kubectl apply -k.
func (x *existing) apply(dir string) {
	x.t.Helper()
	if err := manifest.Apply(x.t.Context(), x.client, deploytest.Build(x.t, dir)); err != nil {
		x.t.Fatal(err)
	}
}

func (x *existing) create(class *v1alpha2.BucketClass) {
	x.t.Helper()
	class.Name = "standard"
	harness.Until(x.t, "the kinds are served", func(ctx context.Context) (bool, error) {
		err := x.client.Create(ctx, class)
		return err == nil, client.IgnoreNotFound(err)
	})
}
