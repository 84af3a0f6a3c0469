// Package index has the field indexes of the controller's cache. Each one finds the objects that an
// event of another object must reconcile, so that an event costs as much as the objects that it
// concerns, however many exist.
package index

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucket"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// Names of the indexes, for client.MatchingFields.
const (
	// ClaimsWaitingForClass indexes unbound BucketClaims by the name of their BucketClass.
	ClaimsWaitingForClass = "cosi.claims.waiting-for-class"
	// ClaimsByBucket indexes BucketClaims by the name of their Bucket, existing or not, whatever
	// claim the Bucket refers to.
	ClaimsByBucket = "cosi.claims.by-bucket"
	// AccessesWaitingForClass indexes BucketAccesses before the hand-off by the name of their
	// BucketAccessClass.
	AccessesWaitingForClass = "cosi.accesses.waiting-for-class"
	// AccessesByClaim indexes BucketAccesses by the names of their BucketClaims, to be combined
	// with a namespace.
	AccessesByClaim = "cosi.accesses.by-claim"
	// AccessesNeedingClaim is like AccessesByClaim, but only for accesses that still need the
	// BucketClaim.
	AccessesNeedingClaim = "cosi.accesses.needing-claim"
)

// Register adds all the indexes to a cache that has not been started.
func Register(ctx context.Context, indexer client.FieldIndexer) error {
	for _, i := range []struct {
		name   string
		object client.Object
		values client.IndexerFunc
	}{
		{ClaimsWaitingForClass, &v1alpha2.BucketClaim{}, cosireconcile.IndexBy(unboundClaimsClass)},
		{ClaimsByBucket, &v1alpha2.BucketClaim{}, cosireconcile.IndexBy(bucketOf)},
		{AccessesWaitingForClass, &v1alpha2.BucketAccess{}, cosireconcile.IndexBy(pendingAccessClass)},
		{AccessesByClaim, &v1alpha2.BucketAccess{}, cosireconcile.IndexBy(ClaimNames)},
		{AccessesNeedingClaim, &v1alpha2.BucketAccess{}, cosireconcile.IndexBy(neededClaims)},
	} {
		if err := indexer.IndexField(ctx, i.object, i.name, i.values); err != nil {
			return fmt.Errorf("index %s: %w", i.name, err)
		}
	}
	return nil
}

// ClaimNames are the names of the BucketClaims that an access refers to.
func ClaimNames(access *v1alpha2.BucketAccess) []string {
	names := make([]string, 0, len(access.Spec.BucketClaims))
	for i := range access.Spec.BucketClaims {
		names = append(names, access.Spec.BucketClaims[i].BucketClaimName)
	}
	return names
}

func unboundClaimsClass(claim *v1alpha2.BucketClaim) []string {
	if claim.Status.BoundBucketName != "" || claim.Spec.BucketClassName == "" {
		return nil
	}
	return []string{claim.Spec.BucketClassName}
}

func bucketOf(claim *v1alpha2.BucketClaim) []string { return []string{bucket.NameOf(claim)} }

func pendingAccessClass(access *v1alpha2.BucketAccess) []string {
	if access.Status.DriverName != "" {
		return nil
	}
	return []string{access.Spec.BucketAccessClassName}
}

func neededClaims(access *v1alpha2.BucketAccess) []string {
	if !ownership.NeedsClaims(access) {
		return nil
	}
	return ClaimNames(access)
}
