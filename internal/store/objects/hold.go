package objects

import "github.com/cosi-emu/cosi-emu/internal/s3error"

// Held returns ObjectUnderActiveHold for an object with a hold of Google Cloud Storage, which can be
// neither deleted nor replaced. v may be nil.
func (v *Version) Held() error {
	if v == nil || v.Attributes.Lock == nil {
		return nil
	}
	kind := "Event-Based"
	switch lock := v.Attributes.Lock; {
	case lock.LegalHold == HoldOn:
		kind = "Temporary"
	case !lock.EventHold:
		return nil
	}
	return s3error.ErrObjectUnderActiveHold.With("Object '" + v.Key + "' is under active " + kind +
		" hold and cannot be deleted, overwritten or archived until hold is removed.")
}

// checkReplacement returns the error of Held in a bucket with generations. In S3, a new version does
// not replace a locked one.
func (b *Bucket) checkReplacement(newest *Version) error {
	if !newest.isLive() || newest.Attributes.Lock == nil {
		return nil
	}
	if _, generations := b.rules(); !generations {
		return nil
	}
	return newest.Held()
}
