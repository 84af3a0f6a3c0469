package checks

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

func reportsFailure(c metav1.Condition) bool { return unwell([]metav1.Condition{c}) }

// outdatedReason reports a failure whose reason is outdated. The function returns the current
// state, or "".
func outdatedReason(conditions []metav1.Condition, instead func(reason string) string) string {
	for _, c := range conditions {
		if !reportsFailure(c) {
			continue
		}
		if truth := instead(c.Reason); truth != "" {
			return fmt.Sprintf("has %s=%s with reason %s, but %s", c.Type, c.Status, c.Reason, truth)
		}
	}
	return ""
}

func (sc *stateCheck) outdatedClaim(o *v1alpha2.BucketClaim) problem {
	if o.DeletionTimestamp != nil {
		return problem{}
	}
	bucket := sc.bucketOf(o)
	reason := problem{rule.StatusWaiting, sc.outdatedClaimReason(o, bucket)}
	if reason.text != "" || bucket == nil || isCondemned(bucket) || !o.Status.ReadyToUse {
		return reason
	}
	// A Bucket whose own status contradicts itself is reported instead.
	contradiction, bucketReady := ready(bucket.Status.ReadyToUse, false, bucket.Status.Conditions)
	if !bucketReady && contradiction == "" && !bucket.Status.ReadyToUse {
		return problem{rule.StatusClaimReady, "is ready to use, but its Bucket is not"}
	}
	return problem{rule.StatusProtocols, sc.outdatedProtocols(o, bucket)}
}

// outdatedProtocols reports a claim with other protocols than its Bucket, which users cannot read. In
// v1alpha1, a claim has no such field.
func (sc *stateCheck) outdatedProtocols(o *v1alpha2.BucketClaim, bucket *v1alpha2.Bucket) string {
	theirs, ours := slices.Sorted(slices.Values(bucket.Status.Protocols)), slices.Sorted(slices.Values(o.Status.Protocols))
	if sc.IsV1alpha1() || len(theirs) == 0 || slices.Equal(theirs, ours) {
		return ""
	}
	return fmt.Sprintf("has status.protocols %v, but its Bucket has %v", ours, theirs)
}

func (sc *stateCheck) outdatedClaimReason(o *v1alpha2.BucketClaim, bucket *v1alpha2.Bucket) string {
	if sc.IsV1alpha1() {
		return "" // v1alpha1 reports reasons by Events, which remain when the reason is gone
	}
	return outdatedReason(o.Status.Conditions, func(reason string) string {
		switch {
		case reason == v1alpha2.ReasonBucketClassNotFound && sc.hasClass(o.Spec.BucketClassName):
			return "its BucketClass exists"
		case reason == v1alpha2.ReasonBucketNotFound && sc.named(o.Spec.ExistingBucketName) != nil:
			return "its Bucket exists"
		case reason == v1alpha2.ReasonBucketDeleting && bucket != nil && !isCondemned(bucket):
			return "its Bucket is not being deleted"
		}
		return ""
	})
}

// outdatedAccess returns the outdated condition of a live access before the hand-off. A driver's
// access is for the original claims, not for later ones of their names.
func (sc *stateCheck) outdatedAccess(o *v1alpha2.BucketAccess) string {
	if o.DeletionTimestamp != nil || o.Status.DriverName != "" || sc.IsV1alpha1() {
		return ""
	}
	return outdatedReason(o.Status.Conditions, func(reason string) string {
		switch {
		case reason == v1alpha2.ReasonBucketAccessClassNotFound && sc.observation.Objects.AccessClass(o.Spec.BucketAccessClassName) != nil:
			return "its BucketAccessClass exists"
		case reason == v1alpha2.ReasonBucketClaimNotFound && sc.hasClaims(o, func(*v1alpha2.BucketClaim) bool { return true }):
			return "all its BucketClaims exist"
		case reason == v1alpha2.ReasonBucketClaimDeleting && sc.hasClaims(o, isLive):
			return "none of its BucketClaims is being deleted"
		}
		return ""
	})
}

func isLive(c *v1alpha2.BucketClaim) bool { return c.DeletionTimestamp == nil }

// hasClaims reports whether all claims of an access exist, and have a property.
func (sc *stateCheck) hasClaims(o *v1alpha2.BucketAccess, has func(*v1alpha2.BucketClaim) bool) bool {
	for _, wanted := range o.Spec.BucketClaims {
		found := slices.ContainsFunc(sc.observation.Objects.Claims, func(c v1alpha2.BucketClaim) bool {
			return c.Namespace == o.Namespace && c.Name == wanted.BucketClaimName && has(&c)
		})
		if !found {
			return false
		}
	}
	return true
}

// contradiction reports that readyToUse of a Bucket does not follow from its conditions. A Bucket
// without a failure is judged by its convergence.
func contradiction(o *v1alpha2.Bucket) string {
	if !unwell(o.Status.Conditions) {
		return ""
	}
	problem, _ := ready(o.Status.ReadyToUse, o.DeletionTimestamp != nil, o.Status.Conditions)
	return problem
}
