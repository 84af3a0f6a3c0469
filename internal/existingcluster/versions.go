package existingcluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
)

// ServedVersions returns the versions of COSI that a cluster serves.
func ServedVersions(ctx context.Context, cfg *rest.Config) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}
	group := &metav1.APIGroup{}
	err = client.RESTClient().Get().AbsPath("/apis", v1alpha1.GroupName).Do(ctx).Into(group)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("ask the cluster at %s which versions of COSI it serves: %w", cfg.Host, err)
	}
	var versions []string
	for _, version := range group.Versions {
		versions = append(versions, version.Version)
	}
	return versions, nil
}
