package emulator

import (
	"context"
	"fmt"
	"io/fs"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/emulator/manifest"
)

// grantRoles creates the ServiceAccounts, roles and bindings that the components
// would have on a cluster, from the same files.
func (e *Emulator) grantRoles(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: deploy.Namespace}}
	if err := client.IgnoreAlreadyExists(e.client.Create(ctx, namespace)); err != nil {
		return fmt.Errorf("create namespace %s: %w", deploy.Namespace, err)
	}
	files, err := fs.Glob(deploy.RBAC, "rbac/*.yaml")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := fs.ReadFile(deploy.RBAC, file)
		if err != nil {
			return err
		}
		objects, err := manifest.Decode(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := manifest.Apply(ctx, e.client, objects); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// userOf returns the configuration of a client that is, to the API server, the
// ServiceAccount of a component.
func (e *Emulator) userOf(serviceAccount string) (*rest.Config, error) {
	cfg, err := e.plane.UserConfig("system:serviceaccount:"+deploy.Namespace+":"+serviceAccount,
		"system:serviceaccounts", "system:serviceaccounts:"+deploy.Namespace)
	if err != nil {
		return nil, fmt.Errorf("make credentials for ServiceAccount %s/%s: %w", deploy.Namespace, serviceAccount, err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // the API server is ours alone
	return cfg, nil
}
