package existingcluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/definitions"
)

// howToInstall is the advice in ErrNotInstalled.
const howToInstall = "install COSI with 'kubectl apply -k' of the directories apis/crds and deploy/rbac of cosi-emu, or give --install"

// CheckKinds checks that the API server serves the COSI kinds in the version of
// controller and sidecar, with all their fields. The error is ErrNotInstalled if it does not.
func (c *Cluster) CheckKinds(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	own, err := crds.All()
	if err != nil {
		return err
	}
	served, err := c.discovery.ServerResourcesForGroupVersionWithContext(ctx, v1alpha2.SchemeGroupVersion.String())
	if apierrors.IsNotFound(err) {
		served, err = &metav1.APIResourceList{}, nil
	}
	if err != nil {
		return fmt.Errorf("ask which kinds there are: %w", err)
	}
	var missing []string
	for _, definition := range own {
		plural := definition.Spec.Names.Plural
		if !slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == plural }) {
			missing = append(missing, plural)
		}
	}
	if len(missing) == 0 {
		return c.checkDefinitions(ctx, own)
	}
	return fmt.Errorf("%w: it does not serve %s of %s; %s", ErrNotInstalled,
		strings.Join(missing, ", "), v1alpha2.SchemeGroupVersion, howToInstall)
}

// checkDefinitions compares the fields of the kinds, because definitions of earlier drafts have the
// same version and lack some. For a user who may not read the definitions, controller and sidecar
// report missing fields.
func (c *Cluster) checkDefinitions(ctx context.Context, own []*apiextensionsv1.CustomResourceDefinition) error {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, definition := range own {
		there := &apiextensionsv1.CustomResourceDefinition{}
		err := c.client.Get(ctx, client.ObjectKeyFromObject(definition), there)
		if apierrors.IsForbidden(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at CustomResourceDefinition %s: %w", definition.Name, err)
		}
		all = append(all, there)
	}
	foreign, err := definitions.Differences(all, objectstorage.V1alpha2)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}
	if len(foreign) == 0 {
		return nil
	}
	return fmt.Errorf("%w: the CustomResourceDefinitions are of an earlier draft of %s, and the API server would drop what controller and "+
		"sidecar write: %s; %s", ErrNotInstalled, v1alpha2.SchemeGroupVersion, strings.Join(foreign, "; "), definitions.HowToReplace)
}
