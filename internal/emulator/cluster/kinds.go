package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// howToInstall is the advice in ErrNotInstalled.
const howToInstall = "install COSI with 'kubectl apply -k' of the directories apis/crds and deploy/rbac of cosi-emu, or give --install"

// CheckKinds checks that the API server serves the COSI kinds in the version of
// controller and sidecar. The error is ErrNotInstalled if it does not.
func (c *Cluster) CheckKinds(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	definitions, err := crds.All()
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
	for _, definition := range definitions {
		plural := definition.Spec.Names.Plural
		if !slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == plural }) {
			missing = append(missing, plural)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: it does not serve %s of %s; %s", ErrNotInstalled,
		strings.Join(missing, ", "), v1alpha2.SchemeGroupVersion, howToInstall)
}
