package emulator

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/emulator/manifest"
)

// grantRoles creates the Namespace, ServiceAccounts, roles and bindings of the
// components, from the files of deploy/rbac.
func (e *Emulator) grantRoles(ctx context.Context) error {
	files, err := deploy.RBAC()
	if err != nil {
		return err
	}
	for _, file := range files {
		objects, err := manifest.Decode(file.Data)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		if err := manifest.Apply(ctx, e.client, objects); err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	return nil
}

// userOf returns a client configuration with the rights of a component's
// ServiceAccount.
func (e *Emulator) userOf(ctx context.Context, serviceAccount string) (*rest.Config, error) {
	if e.cluster != nil {
		return e.cluster.ServiceAccount(ctx, deploy.Namespace, serviceAccount)
	}
	cfg, err := e.plane.UserConfig("system:serviceaccount:"+deploy.Namespace+":"+serviceAccount,
		"system:serviceaccounts", "system:serviceaccounts:"+deploy.Namespace)
	if err != nil {
		return nil, fmt.Errorf("make credentials for ServiceAccount %s/%s: %w", deploy.Namespace, serviceAccount, err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // no other client uses this API server
	return cfg, nil
}
