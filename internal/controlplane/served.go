package controlplane

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
)

const servedInterval = 10 * time.Millisecond

// waitServed waits until discovery lists the established kinds. Otherwise kubectl and controllers
// might not find them yet. Discovery cannot be watched.
func waitServed(ctx context.Context, client discovery.DiscoveryInterface, crds []*apiextensionsv1.CustomResourceDefinition) error {
	for version, plurals := range servedResources(crds) {
		err := wait.PollUntilContextCancel(ctx, servedInterval, true, func(context.Context) (bool, error) {
			list, err := client.ServerResourcesForGroupVersion(version.String())
			return err == nil && containsAll(list, plurals), nil
		})
		if err != nil {
			return fmt.Errorf("wait for %v of %s to be served: %w", plurals, version, err)
		}
	}
	return nil
}

func servedResources(crds []*apiextensionsv1.CustomResourceDefinition) map[schema.GroupVersion][]string {
	served := map[schema.GroupVersion][]string{}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			if version.Served {
				key := schema.GroupVersion{Group: crd.Spec.Group, Version: version.Name}
				served[key] = append(served[key], crd.Spec.Names.Plural)
			}
		}
	}
	return served
}

func containsAll(list *metav1.APIResourceList, plurals []string) bool {
	return !slices.ContainsFunc(plurals, func(plural string) bool {
		return !slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == plural })
	})
}
