package controlplane

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// waitWatchable waits until the API server's handler of custom resources knows the kinds, of which
// its discovery may have an earlier definition, and until its watch caches are filled. Earlier, it
// makes clients retry after a second.
func waitWatchable(ctx context.Context, client rest.Interface, crds []*apiextensionsv1.CustomResourceDefinition) error {
	for version, plurals := range servedResources(crds) {
		for _, plural := range plurals {
			err := wait.PollUntilContextCancel(ctx, servedInterval, true, func(ctx context.Context) (bool, error) {
				return watchable(ctx, client, version, plural)
			})
			if err != nil {
				return fmt.Errorf("wait until %s of %s can be watched: %w", plural, version, err)
			}
		}
	}
	return nil
}

func watchable(ctx context.Context, client rest.Interface, version schema.GroupVersion, plural string) (bool, error) {
	stream, err := client.Get().AbsPath("apis", version.Group, version.Version, plural).
		Param("watch", "true").MaxRetries(0).Stream(ctx)
	if apierrors.IsNotFound(err) || apierrors.IsTooManyRequests(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, stream.Close()
}
