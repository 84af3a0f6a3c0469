package existingcluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
)

// Leftovers returns a line for each object that remains in the cluster after the emulator has
// stopped: users' objects of its driver, whose deletion requires a controller and a driver of that
// name, and the owner's objects that others need.
func (c *Cluster) Leftovers(ctx context.Context, driver string) ([]string, error) {
	var lines []string
	for _, find := range []func(context.Context) ([]string, error){
		func(ctx context.Context) ([]string, error) { return c.served(ctx, driver) }, c.keptDefinitions, c.keptNamespace,
	} {
		found, err := find(ctx)
		if err != nil {
			return lines, fmt.Errorf("look for remaining objects in the cluster: %w", err)
		}
		lines = append(lines, found...)
	}
	return lines, nil
}

// served returns the objects of a driver with a finalizer.
func (c *Cluster) served(ctx context.Context, driver string) ([]string, error) {
	if driver == "" {
		return nil, nil
	}
	buckets, accesses, claims := &v1alpha2.BucketList{}, &v1alpha2.BucketAccessList{}, &v1alpha2.BucketClaimList{}
	for _, list := range []client.ObjectList{accesses, claims, buckets} {
		if err := c.client.List(ctx, list); isNoKind(err) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	var lines []string
	for _, access := range accesses.Items {
		if access.Status.DriverName == driver {
			lines = appendFinalized(lines, "BucketAccess", &access)
		}
	}
	bound := map[string]bool{}
	for _, bucket := range buckets.Items {
		bound[bucket.Name] = bucket.Spec.DriverName == driver
	}
	claims.Items = slices.DeleteFunc(claims.Items, func(claim v1alpha2.BucketClaim) bool { return !bound[claim.Status.BoundBucketName] })
	for _, claim := range claims.Items {
		lines = appendFinalized(lines, "BucketClaim", &claim)
	}
	for _, bucket := range buckets.Items {
		if bound[bucket.Name] {
			lines = appendFinalized(lines, "Bucket", &bucket)
		}
	}
	return lines, nil
}

func appendFinalized(lines []string, kind string, object client.Object) []string {
	if len(object.GetFinalizers()) == 0 {
		return lines
	}
	return append(lines, kind+" "+strings.TrimPrefix(client.ObjectKeyFromObject(object).String(), "/"))
}

// keptDefinitions returns the owner's remaining definitions of COSI kinds, with reasons.
func (c *Cluster) keptDefinitions(ctx context.Context) ([]string, error) {
	own, err := c.own(ctx, definitionKind)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	used, err := c.usedKinds(ctx)
	return []string{"the COSI kinds, because there are " + strings.Join(used, ", ")}, err
}

// keptNamespace returns the owner's namespace if it remains, with the reason.
func (c *Cluster) keptNamespace(ctx context.Context) ([]string, error) {
	own, err := c.own(ctx, namespaceKind)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	content, err := c.content(ctx, deploy.Namespace)
	return []string{"Namespace " + deploy.Namespace + ", because of its contents: " + content}, err
}

// isNoKind reports whether the cluster lacks the requested kind.
func isNoKind(err error) bool { return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) }
