package objects

import "github.com/cosi-emu/cosi-emu/internal/s3error"

// weight returns the part of a quota that a version uses; v may be nil.
func weight(v *Version) Quota {
	if v == nil || v.IsDeleteMarker {
		return Quota{}
	}
	return Quota{Bytes: v.Size(), Objects: 1}
}

func (q Quota) plus(other Quota) Quota {
	return Quota{Bytes: q.Bytes + other.Bytes, Objects: q.Objects + other.Objects}
}

func (q Quota) minus(other Quota) Quota {
	return Quota{Bytes: q.Bytes - other.Bytes, Objects: q.Objects - other.Objects}
}

// reserve reserves a part of the quota before the change. The error is QuotaExceeded, as in Ceph;
// S3 has no quotas. A change that adds nothing is always allowed.
func (b *Bucket) reserve(more Quota) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	limit := b.config.Quota
	if limit.Bytes > 0 && more.Bytes > 0 && b.used.Bytes+more.Bytes > limit.Bytes {
		return s3error.ErrQuotaExceeded
	}
	if limit.Objects > 0 && more.Objects > 0 && b.used.Objects+more.Objects > limit.Objects {
		return s3error.ErrQuotaExceeded
	}
	b.used = b.used.plus(more)
	return nil
}

// release undoes a reservation.
func (b *Bucket) release(less Quota) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used = b.used.minus(less)
}
