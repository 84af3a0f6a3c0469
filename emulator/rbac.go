package emulator

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

// grantRoles creates the Namespace, ServiceAccounts, roles and bindings of the components, from the
// files of deploy/rbac or the manifests of your own components.
func (e *Emulator) grantRoles(ctx context.Context) error {
	files, err := e.generation().RBAC()
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
	for _, own := range [][]byte{e.opts.Implementations.ControllerRBAC, e.opts.Implementations.SidecarRBAC} {
		if own == nil {
			continue
		}
		granted, err := rightsOf(own)
		if err != nil {
			return err
		}
		if err := manifest.Apply(ctx, e.client, granted.objects); err != nil {
			return fmt.Errorf("grant the rights of your own component: %w", err)
		}
	}
	return nil
}

// rights are the objects that give a component its rights.
type rights struct {
	account types.NamespacedName
	objects []*unstructured.Unstructured
}

// rightsOf reads the ServiceAccount, the roles and the bindings of a manifest.
func rightsOf(data []byte) (rights, error) {
	all, err := manifest.Decode(data)
	if err != nil {
		return rights{}, err
	}
	var found rights
	accounts := 0
	for _, object := range all {
		kind := object.GroupVersionKind().GroupKind()
		if kind == corev1.SchemeGroupVersion.WithKind("ServiceAccount").GroupKind() {
			accounts++
			if object.GetNamespace() == "" {
				object.SetNamespace(metav1.NamespaceDefault)
			}
			found.account = types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
			found.objects = append(found.objects, object)
		}
		if kind.Group == rbacv1.GroupName {
			found.objects = append(found.objects, object)
		}
	}
	if accounts != 1 {
		return rights{}, fmt.Errorf("the manifest has %d ServiceAccounts, and must have one", accounts)
	}
	found.objects = slices.Concat(namespacesOf(found.objects), found.objects)
	return found, nil
}

// namespacesOf returns the Namespaces of objects, which must exist first.
func namespacesOf(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	known := map[string]bool{"": true, metav1.NamespaceDefault: true}
	for _, object := range objects {
		name := object.GetNamespace()
		if known[name] {
			continue
		}
		known[name] = true
		namespace := &unstructured.Unstructured{}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		namespace.SetName(name)
		all = append(all, namespace)
	}
	return all
}

// controllerUser and sidecarUser return client configurations with the rights of the component.
func (e *Emulator) controllerUser(ctx context.Context) (*rest.Config, error) {
	return e.componentUser(ctx, e.opts.Implementations.ControllerRBAC, deploy.ControllerServiceAccount)
}

func (e *Emulator) sidecarUser(ctx context.Context) (*rest.Config, error) {
	return e.componentUser(ctx, e.opts.Implementations.SidecarRBAC, deploy.SidecarServiceAccount)
}

func (e *Emulator) componentUser(ctx context.Context, own []byte, serviceAccount string) (*rest.Config, error) {
	account := types.NamespacedName{Namespace: deploy.Namespace, Name: serviceAccount}
	if own != nil {
		granted, err := rightsOf(own)
		if err != nil {
			return nil, err
		}
		account = granted.account
	}
	return e.userOf(ctx, account)
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
