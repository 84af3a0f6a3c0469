package manager

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrNotServed is wrapped by the errors about kinds that the API server does not serve in
// the version of the component.
var ErrNotServed = errors.New("the component cannot run in this cluster")

// CheckServed returns an error that lists all kinds that the API server does not serve in the
// version of the component. The versions of the COSI kinds have the same names, so a cluster may
// serve another version, which needs other components.
func (m *Manager) CheckServed(kinds ...client.Object) error {
	var missing []error
	for _, kind := range kinds {
		gvk, err := m.GetClient().GroupVersionKindFor(kind)
		if err != nil {
			return err
		}
		switch found, err := m.checkKind(gvk); {
		case err != nil:
			return err
		case found != nil:
			missing = append(missing, found)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrNotServed, errors.Join(missing...))
}

// checkKind returns the problem of one kind, or the error of the API server.
func (m *Manager) checkKind(gvk schema.GroupVersionKind) (missing, err error) {
	_, err = m.GetRESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err == nil || !meta.IsNoMatchError(err) {
		return nil, err
	}
	mappings, err := m.GetRESTMapper().RESTMappings(gvk.GroupKind())
	if err != nil && !meta.IsNoMatchError(err) {
		return nil, err
	}
	return notServed(gvk, mappings), nil
}

// notServed lists the versions that the API server serves instead, and the solution.
func notServed(gvk schema.GroupVersionKind, mappings []*meta.RESTMapping) error {
	if len(mappings) == 0 {
		return fmt.Errorf("the API server does not serve %s of %s: install the CustomResourceDefinitions of %s",
			gvk.Kind, gvk.Group, gvk.Version)
	}
	var versions []string
	for _, mapping := range mappings {
		versions = append(versions, mapping.GroupVersionKind.Version)
	}
	slices.Sort(versions)
	served := strings.Join(slices.Compact(versions), ", ")
	return fmt.Errorf("CustomResourceDefinition %s.%s serves %s and not %s: run the controller and the sidecar of %s in this cluster, "+
		"or use a cluster with the CustomResourceDefinitions of %s; one cluster cannot have both",
		mappings[0].Resource.Resource, gvk.Group, served, gvk.Version, served, gvk.Version)
}
