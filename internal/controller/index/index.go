// Package index has the field indexes of the controller's cache. There is one for
// each way in which the event of one object causes a reconcile of another, so that
// an event costs as much as the objects that it concerns, however many there are.
package index

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucket"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// Names of the indexes, for client.MatchingFields.
const (
	// ClaimsWaitingForClass has the BucketClaims that are not bound, by the name
	// of their BucketClass.
	ClaimsWaitingForClass = "cosi.claims.waiting-for-class"
	// ClaimsByBucket has BucketClaims by the name of the Bucket that they have or
	// will have, whatever claim the Bucket refers to.
	ClaimsByBucket = "cosi.claims.by-bucket"
	// AccessesWaitingForClass has the BucketAccesses that are not handed off, by
	// the name of their BucketAccessClass.
	AccessesWaitingForClass = "cosi.accesses.waiting-for-class"
	// AccessesByClaim has BucketAccesses by the names of their BucketClaims, to
	// be combined with a namespace.
	AccessesByClaim = "cosi.accesses.by-claim"
	// AccessesNeedingClaim is like AccessesByClaim, with only those accesses for
	// which the BucketClaim must stay.
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
