package emulator

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/rights"
)

// grantRoles creates the Namespace, ServiceAccounts, roles and bindings of the components, from the
// files of deploy/rbac or the manifests of your own components.
func (e *Emulator) grantRoles(ctx context.Context) error {
	files, err := e.generation().RBAC()
	if err != nil {
		return err
	}
	if err := e.applyFiles(ctx, files); err != nil {
		return err
	}
	for _, own := range [][]byte{e.opts.Implementations.ControllerRBAC, e.opts.Implementations.SidecarRBAC} {
		if own == nil {
			continue
		}
		granted, err := rights.Of(own)
		if err != nil {
			return err
		}
		if err := manifest.Apply(ctx, e.client, granted.Objects); err != nil {
			return fmt.Errorf("grant the rights of your own component: %w", err)
		}
	}
	return nil
}

// applyFiles applies the objects of files.
func (e *Emulator) applyFiles(ctx context.Context, files []deploy.Manifest) error {
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

// controllerUser and sidecarUser return client configurations with the rights of the component.
func (e *Emulator) controllerUser(ctx context.Context) (*rest.Config, error) {
	return e.componentUser(ctx, e.opts.Implementations.ControllerRBAC, deploy.ControllerServiceAccount)
}

func (e *Emulator) sidecarUser(ctx context.Context) (*rest.Config, error) {
	return e.componentUser(ctx, e.opts.Implementations.SidecarRBAC, deploy.SidecarServiceAccount)
}

func (e *Emulator) componentUser(ctx context.Context, own []byte, serviceAccount string) (*rest.Config, error) {
	account, err := componentAccount(own, serviceAccount)
	if err != nil {
		return nil, err
	}
	return e.userOf(ctx, account)
}

// componentAccount returns the ServiceAccount of a component's own manifest, or a ServiceAccount of
// deploy/rbac without one.
func componentAccount(own []byte, serviceAccount string) (types.NamespacedName, error) {
	if own == nil {
		return types.NamespacedName{Namespace: deploy.Namespace, Name: serviceAccount}, nil
	}
	granted, err := rights.Of(own)
	return granted.Account, err
}

// userOf returns the configuration of a client that the API server takes for a ServiceAccount.
func (e *Emulator) userOf(ctx context.Context, account types.NamespacedName) (*rest.Config, error) {
	if e.cluster != nil {
		return e.cluster.ServiceAccount(ctx, account.Namespace, account.Name)
	}
	user := "system:serviceaccount:" + account.Namespace + ":" + account.Name
	groups := []string{"system:serviceaccounts", "system:serviceaccounts:" + account.Namespace}
	if cfg := e.inProcessConfig(user, groups...); cfg != nil {
		return cfg, nil
	}
	cfg, err := e.plane.UserConfig(user, groups...)
	if err != nil {
		return nil, fmt.Errorf("make credentials for ServiceAccount %s: %w", account, err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // no other client uses this API server
	return cfg, nil
}
