package bucketclaim

import (
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// syncStatus copies the Bucket's state for the user of the claim, because only administrators can
// read the Bucket.
func (a *attempt) syncStatus(context.Context) error {
	if reported := a.bucket.Status.Protocols; len(reported) > 0 {
		a.Object.Status.Protocols = slices.Clone(reported)
		if lacking := missing(a.Object.Spec.Protocols, reported); len(lacking) > 0 {
			return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported,
				"Bucket %q supports %v, but not %v, which this claim requires", a.bucket.Name, reported, lacking)
		}
	}
	syncConditions(a.conditions(), a.bucket)
	return nil
}

func missing(wanted, offered []v1alpha2.Protocol) []v1alpha2.Protocol {
	var lacking []v1alpha2.Protocol
	for _, protocol := range wanted {
		if !slices.Contains(offered, protocol) {
			lacking = append(lacking, protocol)
		}
	}
	return lacking
}
