package contract_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// The clock of a fixture starts at epoch, and advances by a second with each read.
var (
	past   = epoch.Add(-time.Hour)
	soon   = epoch.Add(time.Hour)
	later  = epoch.Add(2 * time.Hour)
	locked = objects.Config{Versioning: objects.Enabled, ObjectLock: objects.ObjectLock{Enabled: true}}
)

// The insufficient kinds of bypass.
var (
	ordinary = []objects.Bypass{objects.BypassNothing}
	users    = []objects.Bypass{objects.BypassNothing, objects.BypassGovernance}
	everyone = []objects.Bypass{objects.BypassNothing, objects.BypassGovernance, objects.BypassAll}
)

func governed(until time.Time) objects.Retention {
	return objects.Retention{Mode: objects.Governance, Until: until}
}

func complied(until time.Time) objects.Retention {
	return objects.Retention{Mode: objects.Compliance, Until: until}
}

// putLocked stores the object k with a lock, and returns its version's ID.
func (f *fixture) putLocked(lock objects.Lock) string {
	f.Helper()
	d, done := f.draft("content")
	defer done()
	d.Attributes.Lock = &lock
	v, err := f.Put("k", d, objects.Conditions{})
	f.must(err)
	return v.ID
}

func TestLockedDeletion(t *testing.T) {
	tests := map[string]struct {
		reason string
		lock   objects.Lock
		// rejected are the insufficient kinds of bypass.
		rejected []objects.Bypass
	}{
		"Governance":     {"Some may bypass it.", objects.Lock{Retention: governed(soon)}, ordinary},
		"Compliance":     {"No user may bypass it.", objects.Lock{Retention: complied(soon)}, users},
		"Hold":           {"No user may bypass it.", objects.Lock{LegalHold: objects.HoldOn}, users},
		"HoldOff":        {"It is off.", objects.Lock{LegalHold: objects.HoldOff}, nil},
		"Expired":        {"Its time is over.", objects.Lock{Retention: complied(past)}, nil},
		"ExpiredAndHold": {"The hold has no end.", objects.Lock{Retention: governed(past), LegalHold: objects.HoldOn}, users},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, bypass := range everyone {
				f := newFixture(t, locked)
				id := f.putLocked(tc.lock)
				var want error
				if slices.Contains(tc.rejected, bypass) {
					want = s3error.ErrAccessDenied
				}
				if _, err := f.Delete("k", id, objects.Conditions{}, bypass); !errors.Is(err, want) {
					t.Errorf("%s\nDelete() with bypass %d = %v, want %v", tc.reason, bypass, err, want)
				}
				if _, err := f.text("k", id); (err == nil) != (want != nil) {
					t.Errorf("%s\nafter Delete() with bypass %d: %v", tc.reason, bypass, err)
				}
				f.checkReferences()
			}
		})
	}
}

func TestSetRetention(t *testing.T) {
	tests := map[string]struct {
		reason        string
		before, after objects.Retention
		rejected      []objects.Bypass
	}{
		"First":             {"It was not protected.", objects.Retention{}, complied(soon), nil},
		"Extended":          {"It protects more.", governed(soon), governed(later), nil},
		"Same":              {"It protects as much.", complied(soon), complied(soon), nil},
		"ExtendedStrictly":  {"It protects more.", complied(soon), complied(later), nil},
		"Shortened":         {"It protects less.", governed(later), governed(soon), ordinary},
		"Removed":           {"It protects less.", governed(later), objects.Retention{}, ordinary},
		"Stricter":          {"Another mode needs the bypass.", governed(soon), complied(later), ordinary},
		"ShortenedStrictly": {"No user may.", complied(later), complied(soon), users},
		"Milder":            {"No user may.", complied(soon), governed(later), users},
		"RemovedStrictly":   {"No user may.", complied(soon), objects.Retention{}, users},
		"Expired":           {"Nothing is protected any more.", complied(past), governed(soon), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, bypass := range everyone {
				f := newFixture(t, locked)
				id := f.putLocked(objects.Lock{Retention: tc.before, LegalHold: objects.HoldOff})
				f.put("k", "newer")
				want, kept := error(nil), tc.after
				if slices.Contains(tc.rejected, bypass) {
					want, kept = s3error.ErrAccessDenied, tc.before
				}
				if _, err := f.SetRetention("k", id, tc.after, bypass); !errors.Is(err, want) {
					t.Errorf("%s\nSetRetention() with bypass %d = %v, want %v", tc.reason, bypass, err, want)
				}
				v, err := f.Get("k", id)
				f.must(err)
				if diff := cmp.Diff(&objects.Lock{Retention: kept, LegalHold: objects.HoldOff}, v.Attributes.Lock); diff != "" {
					t.Errorf("%s\nthe lock: -want, +got:\n%s", tc.reason, diff)
				}
				v.Release()
				f.checkReferences()
			}
		})
	}
}

// TestDefaultRetention: it starts with the version, and the client's choice precedes it.
func TestDefaultRetention(t *testing.T) {
	config := locked
	config.ObjectLock.Default = objects.DefaultRetention{Mode: objects.Governance, Years: 1}
	f := newFixture(t, config)
	retention := func(id string) objects.Retention {
		v, err := f.Get("k", id)
		f.must(err)
		defer v.Release()
		got := v.Attributes.Lock.Retention
		if want := v.Modified().AddDate(1, 0, 0); got.Mode == objects.Governance && !got.Until.Equal(want) {
			t.Errorf("version %s is retained until %v, want %v", id, got.Until, want)
		}
		return got
	}
	if got := retention(f.put("k", "content")); got.Mode != objects.Governance {
		t.Errorf("without a choice: %+v", got)
	}
	if got := retention(f.putLocked(objects.Lock{LegalHold: objects.HoldOn})); got.Mode != objects.Governance {
		t.Errorf("with a legal hold: %+v", got)
	}
	if diff := cmp.Diff(complied(soon), retention(f.putLocked(objects.Lock{Retention: complied(soon)}))); diff != "" {
		t.Errorf("with a choice: -want, +got:\n%s", diff)
	}
	if done := f.remove("k", ""); !done.IsDeleteMarker {
		t.Errorf("Delete() without ID = %+v", done)
	} else {
		f.remove("k", done.VersionID) // markers have no retention
	}
	f.must(f.SetObjectLock(objects.DefaultRetention{}))
	v, err := f.Get("k", f.put("k", "unlocked"))
	f.must(err)
	defer v.Release()
	if v.Attributes.Lock != nil {
		t.Errorf("after the end of the default: %+v", v.Attributes.Lock)
	}
}

func TestObjectLockNeedsVersioning(t *testing.T) {
	f := newFixture(t, objects.Config{})
	invalid := s3error.ErrInvalidBucketState
	if err := f.SetObjectLock(objects.DefaultRetention{}); !errors.Is(err, invalid) {
		t.Errorf("SetObjectLock() without versioning = %v", err)
	}
	f.must(f.SetVersioning(objects.Suspended))
	if err := f.SetObjectLock(objects.DefaultRetention{}); !errors.Is(err, invalid) {
		t.Errorf("SetObjectLock() while versioning is suspended = %v", err)
	}
	f.must(f.SetVersioning(objects.Enabled))
	f.must(f.SetObjectLock(objects.DefaultRetention{}))
	if err := f.SetVersioning(objects.Suspended); !errors.Is(err, invalid) || f.Versioning() != objects.Enabled {
		t.Errorf("SetVersioning(Suspended) = %v, and versioning is %s", err, f.Versioning())
	}
	f.must(f.SetVersioning(objects.Enabled))
}

// TestLockedBucketDeleted: the owner of the storage deletes locked versions, too.
func TestLockedBucketDeleted(t *testing.T) {
	f := newFixture(t, locked)
	f.putLocked(objects.Lock{Retention: complied(later), LegalHold: objects.HoldOn})
	if err := f.store.DeleteBucket("b", false); !errors.Is(err, s3error.ErrBucketNotEmpty) {
		t.Errorf("DeleteBucket() = %v", err)
	}
	f.must(f.Empty())
	f.putLocked(objects.Lock{Retention: complied(later)})
	f.must(f.store.DeleteBucket("b", true))
	f.checkReferences()
}
