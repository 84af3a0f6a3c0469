package objects

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// LockMode is S3's mode of a retention.
type LockMode string

// The modes. A user can bypass only Governance.
const (
	Governance LockMode = "GOVERNANCE"
	Compliance LockMode = "COMPLIANCE"
)

// IsValid reports whether S3 has the mode.
func (m LockMode) IsValid() bool { return m == Governance || m == Compliance }

// Retention protects a version from deletion until a time. The zero value is none.
type Retention struct {
	Mode  LockMode  `json:"mode,omitempty"`
	Until time.Time `json:"until,omitzero"`
}

// LegalHold protects a version from deletion until it is switched off, as in S3. It is empty if it
// was never set.
type LegalHold string

// The states of a legal hold.
const (
	HoldOn  LegalHold = "ON"
	HoldOff LegalHold = "OFF"
)

// Lock protects a version.
type Lock struct {
	Retention Retention `json:"retention,omitzero"`
	LegalHold LegalHold `json:"legalHold,omitempty"`
	// EventHold is the event-based hold of Google Cloud Storage, whose temporary hold is LegalHold.
	EventHold bool `json:"eventHold,omitempty"`
}

// Bypass selects the locks that a change may ignore.
type Bypass int

// The kinds of bypass.
const (
	// BypassNothing respects all locks.
	BypassNothing Bypass = iota
	// BypassGovernance ignores retentions in the mode Governance.
	BypassGovernance
	// BypassAll ignores all locks. It is for the owner of the storage.
	BypassAll
)

// ObjectLock is the object lock of a bucket. Once enabled, it cannot be disabled, and versioning
// cannot be suspended.
type ObjectLock struct {
	Enabled bool             `json:"enabled,omitempty"`
	Default DefaultRetention `json:"default,omitzero"`
}

// DefaultRetention is the retention of new versions whose client selects none. It has either days
// or years; the zero value is no retention.
type DefaultRetention struct {
	Mode  LockMode `json:"mode,omitempty"`
	Days  int      `json:"days,omitempty"`
	Years int      `json:"years,omitempty"`
}

// retention returns the retention of a version that is created at a time.
func (d DefaultRetention) retention(created time.Time) Retention {
	if d.Mode == "" {
		return Retention{}
	}
	return Retention{Mode: d.Mode, Until: created.AddDate(d.Years, 0, d.Days)}
}

// ObjectLock returns the object lock of the bucket.
func (b *Bucket) ObjectLock() ObjectLock {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.config.ObjectLock
}

// SetObjectLock enables object lock, and replaces the default retention. The error is
// InvalidBucketState if versioning is not enabled.
func (b *Bucket) SetObjectLock(d DefaultRetention) error {
	return b.configure(func(c *Config) error {
		if c.Versioning != Enabled {
			return s3error.ErrInvalidBucketState.With("Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration")
		}
		c.ObjectLock = ObjectLock{Enabled: true, Default: d}
		return nil
	})
}

// lockOf returns the lock of a new version: the client's, or the default; nil for none.
func (b *Bucket) lockOf(asked *Lock, created time.Time) *Lock {
	var lock Lock
	if asked != nil {
		lock = *asked
	}
	if lock.Retention == (Retention{}) {
		lock.Retention = b.ObjectLock().Default.retention(created)
	}
	if lock == (Lock{}) {
		return nil
	}
	return &lock
}

// checkDeletion returns AccessDenied if the version is protected at a time.
func (v *Version) checkDeletion(now time.Time, bypass Bypass) error {
	lock := v.Attributes.Lock
	if lock == nil || bypass == BypassAll {
		return nil
	}
	if lock.LegalHold == HoldOn {
		return s3error.ErrAccessDenied.With("Access Denied because object protected by object lock: it has a legal hold.")
	}
	if protects := lock.Retention.protects(now, bypass); protects {
		return s3error.ErrAccessDenied.With("Access Denied because object protected by object lock: it is retained until " +
			lock.Retention.Until.Format(time.RFC3339) + " in the mode " + string(lock.Retention.Mode) + ".")
	}
	return nil
}

func (r Retention) protects(now time.Time, bypass Bypass) bool {
	return r.Mode != "" && now.Before(r.Until) && (r.Mode != Governance || bypass < BypassGovernance)
}

// SetRetention replaces the retention of a version, the latest if the ID is empty; the zero value
// removes it. Errors are AccessDenied if that would weaken the protection, and the errors of Get.
func (b *Bucket) SetRetention(key, id string, r Retention, bypass Bypass) (*Version, error) {
	return b.relock(key, id, func(lock *Lock) error {
		weaker := r.Mode != lock.Retention.Mode || r.Until.Before(lock.Retention.Until)
		if bypass != BypassAll && weaker && lock.Retention.protects(b.store.options.Now(), bypass) {
			return s3error.ErrAccessDenied.With("Access Denied because object protected by object lock: its retention in the mode " +
				string(lock.Retention.Mode) + " can only be extended.")
		}
		lock.Retention = r
		return nil
	})
}

// SetLegalHold switches the legal hold of a version, the latest if the ID is empty. It has the
// errors of Get.
func (b *Bucket) SetLegalHold(key, id string, hold LegalHold) (*Version, error) {
	return b.relock(key, id, func(lock *Lock) error {
		lock.LegalHold = hold
		return nil
	})
}

func (b *Bucket) relock(key, id string, change func(*Lock) error) (*Version, error) {
	return b.edit(key, id, func(v *Version) error {
		var lock Lock
		if v.Attributes.Lock != nil {
			lock = *v.Attributes.Lock
		}
		if err := change(&lock); err != nil {
			return err
		}
		v.Attributes.Lock = &lock
		return nil
	})
}
