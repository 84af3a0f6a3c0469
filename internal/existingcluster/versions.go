package existingcluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
)

// ServedVersions returns the versions of COSI that a cluster serves. A version with Buckets alone is none: an emulator serves them
// for drivers, to be read.
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
		kinds, err := client.ServerResourcesForGroupVersionWithContext(ctx, version.GroupVersion)
		if apierrors.IsNotFound(err) { // its last definition has just been deleted
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("ask the cluster at %s for the kinds of %s: %w", cfg.Host, version.GroupVersion, err)
		}
		if slices.ContainsFunc(kinds.APIResources, func(r metav1.APIResource) bool { return r.Kind != "Bucket" }) {
			versions = append(versions, version.Version)
		}
	}
	return versions, nil
}

// Connect returns a client for the cluster, and the version of COSI that it serves: v1alpha2 if it serves both.
func Connect(ctx context.Context, cfg *rest.Config) (client.Client, objectstorage.Version, error) {
	versions, err := ServedVersions(ctx, cfg)
	if err != nil {
		return nil, "", err
	}
	version := objectstorage.V1alpha2
	switch {
	case slices.Contains(versions, string(objectstorage.V1alpha2)):
	case slices.Contains(versions, string(objectstorage.V1alpha1)):
		version = objectstorage.V1alpha1
	default:
		return nil, "", fmt.Errorf("the cluster at %s has no kinds of COSI v1alpha2 or v1alpha1: install them, "+
			"or select another cluster with --context", cfg.Host)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		return nil, "", err
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	return c, version, err
}
