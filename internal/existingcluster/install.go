package existingcluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

const servedInterval = 100 * time.Millisecond

// Install creates missing COSI kinds and missing rights of controller and sidecar,
// like `kubectl apply -k` of apis/crds and deploy/rbac. It does not change existing
// objects. It returns when the kinds are served.
func (c *Cluster) Install(ctx context.Context) error {
	if err := c.installKinds(ctx); err != nil {
		return err
	}
	files, err := deploy.RBAC()
	if err != nil {
		return err
	}
	for _, file := range files {
		objects, err := manifest.Decode(file.Data)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		for _, object := range objects {
			if _, err := c.Create(ctx, object); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Cluster) installKinds(ctx context.Context) error {
	definitions, err := crds.All()
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if err := c.installKind(ctx, definition); err != nil {
			return err
		}
	}
	return wait.PollUntilContextCancel(ctx, servedInterval, true, func(ctx context.Context) (bool, error) {
		err := c.CheckKinds(ctx)
		if errors.Is(err, ErrNotInstalled) {
			return false, nil
		}
		return err == nil, err
	})
}

// installKind creates one of the kinds. It does not replace an existing definition, but requires
// its version: a replacement could lose objects that are stored in another version.
func (c *Cluster) installKind(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition) error {
	found, err := c.Create(ctx, definition)
	if err != nil || !found {
		return err
	}
	there := &apiextensionsv1.CustomResourceDefinition{}
	if err := c.client.Get(ctx, client.ObjectKeyFromObject(definition), there); err != nil {
		return fmt.Errorf("look at CustomResourceDefinition %s: %w", definition.Name, err)
	}
	serves := func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Served && v.Name == v1alpha2.SchemeGroupVersion.Version
	}
	if slices.ContainsFunc(there.Spec.Versions, serves) {
		return nil
	}
	return fmt.Errorf("%w: CustomResourceDefinition %s is there, but of another version of COSI than %s; it is left alone, "+
		"because there may be objects of it", ErrNotInstalled, definition.Name, v1alpha2.SchemeGroupVersion.Version)
}

// PrepareLease creates a Lease without a holder, so that Uninstall can delete it:
// controller and sidecar may create Leases, and not delete them.
func (c *Cluster) PrepareLease(ctx context.Context, namespace, name string) error {
	_, err := c.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
	return err
}
