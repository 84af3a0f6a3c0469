package bucketclaim

import (
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// mirror copies what the user of the claim has to know of the Bucket, which only
// administrators can read.
func (r *Reconciler) mirror(_ context.Context, v *visit) error {
	if reported := v.bucket.Status.Protocols; len(reported) > 0 {
		v.claim.Status.Protocols = slices.Clone(reported)
		if lacking := missing(v.claim.Spec.Protocols, reported); len(lacking) > 0 {
			return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported,
				"Bucket %q supports %v, but not %v, which this claim asks for", v.bucket.Name, reported, lacking)
		}
	}
	mirrorConditions(condition.Of(&v.claim.Status.Conditions, v.claim.Generation), v.bucket)
	return nil
}

// missing are the protocols that are wanted and not offered.
func missing(wanted, offered []v1alpha2.Protocol) []v1alpha2.Protocol {
	var lacking []v1alpha2.Protocol
	for _, protocol := range wanted {
		if !slices.Contains(offered, protocol) {
			lacking = append(lacking, protocol)
		}
	}
	return lacking
}
