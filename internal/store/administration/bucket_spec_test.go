package administration_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func fullSpec() fakedriver.BucketSpec {
	return fakedriver.BucketSpec{
		Name: "photos", Owner: "me", Purge: true, Region: "us-west-2", Versioning: true, Tags: map[string]string{"team": "a"},
		Quota: fakedriver.Quota{Bytes: 1 << 20, Objects: 10}, Latency: time.Second, MaxAccounts: 3, Parameters: map[string]string{"note": "n"},
	}
}

// TestBucketIdentity changes every field of a specification in turn: each is part of the bucket's
// identity.
func TestBucketIdentity(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	created, err := s.CreateBucket(t.Context(), fullSpec())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.CreateBucket(t.Context(), fullSpec()); err != nil || !cmp.Equal(created, again) {
		t.Errorf("CreateBucket() again = %+v, %v; want %+v", again, err, created)
	}
	for name, change := range map[string]func(*fakedriver.BucketSpec){
		"Owner":      func(b *fakedriver.BucketSpec) { b.Owner = "you" },
		"Purge":      func(b *fakedriver.BucketSpec) { b.Purge = false },
		"Region":     func(b *fakedriver.BucketSpec) { b.Region = "" },
		"Versioning": func(b *fakedriver.BucketSpec) { b.Versioning = false },
		"ObjectLock": func(b *fakedriver.BucketSpec) { b.ObjectLock = true },
		"Retention": func(b *fakedriver.BucketSpec) {
			b.ObjectLock, b.DefaultRetention = true, fakedriver.Retention{Mode: "GOVERNANCE", Days: 1}
		},
		"Tags":        func(b *fakedriver.BucketSpec) { b.Tags["team"] = "b" },
		"Quota":       func(b *fakedriver.BucketSpec) { b.Quota.Objects++ },
		"Latency":     func(b *fakedriver.BucketSpec) { b.Latency++ },
		"MaxAccounts": func(b *fakedriver.BucketSpec) { b.MaxAccounts++ },
		"Parameters":  func(b *fakedriver.BucketSpec) { b.Parameters["note"] = "m" },
	} {
		spec := fullSpec()
		change(&spec)
		if _, err := s.CreateBucket(t.Context(), spec); !errors.Is(err, fakedriver.ErrConflict) {
			t.Errorf("%s: CreateBucket() = %v, want %v", name, err, fakedriver.ErrConflict)
		}
	}
	created.Tags["team"], created.Parameters["note"] = "changed", "changed"
	if b, err := s.GetBucket(t.Context(), "photos"); err != nil || !cmp.Equal(b.BucketSpec, fullSpec()) {
		t.Errorf("what was returned is the store's own: GetBucket() = %+v, %v", b, err)
	}
}

func TestBucketSpecRejected(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	for name, change := range map[string]func(*fakedriver.BucketSpec){
		"Name":   func(b *fakedriver.BucketSpec) { b.Name = "Photos!" },
		"Region": func(b *fakedriver.BucketSpec) { b.Region = "us/east" },
		"Lock":   func(b *fakedriver.BucketSpec) { b.DefaultRetention = fakedriver.Retention{Mode: "GOVERNANCE", Days: 1} },
		"Retention": func(b *fakedriver.BucketSpec) {
			b.ObjectLock, b.DefaultRetention = true, fakedriver.Retention{Mode: "GOVERNANCE", Days: 1, Years: 1}
		},
		"Tags":        func(b *fakedriver.BucketSpec) { b.Tags["aws:owner"] = "me" },
		"Bytes":       func(b *fakedriver.BucketSpec) { b.Quota.Bytes = -1 },
		"Objects":     func(b *fakedriver.BucketSpec) { b.Quota.Objects = -1 },
		"Latency":     func(b *fakedriver.BucketSpec) { b.Latency = -1 },
		"MaxAccounts": func(b *fakedriver.BucketSpec) { b.MaxAccounts = -1 },
	} {
		spec := fullSpec()
		change(&spec)
		if _, err := s.CreateBucket(t.Context(), spec); !errors.Is(err, fakedriver.ErrInvalid) {
			t.Errorf("%s: CreateBucket() = %v, want %v", name, err, fakedriver.ErrInvalid)
		}
	}
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) > 0 {
		t.Errorf("Buckets() = %v, %v; want none", buckets, err)
	}
}

// TestRecordsKeepAll opens a store again, and one from a version without most of the fields.
func TestRecordsKeepAll(t *testing.T) {
	dir := t.TempDir()
	first, err := s3test.Open(s3test.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	created, err := first.CreateBucket(t.Context(), fullSpec())
	if err != nil {
		t.Fatal(err)
	}
	admin := fakedriver.AccountSpec{ID: "admin", Owner: "admin", Admin: true}
	key, err := first.PutAccount(t.Context(), admin)
	if err = errors.Join(err, first.Close()); err != nil {
		t.Fatal(err)
	}
	again := s3test.Unserved(t, s3test.Options{Dir: dir})
	if b, err := again.GetBucket(t.Context(), "photos"); err != nil || !cmp.Equal(created, b) {
		t.Errorf("GetBucket() = %+v, %v; want %+v", b, err, created)
	}
	if got, err := again.PutAccount(t.Context(), admin); err != nil || got != key {
		t.Errorf("PutAccount() = %v, %v; want %v", got, err, key)
	}
}
