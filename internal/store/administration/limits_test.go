package administration_test

import (
	"errors"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func TestMaxAccounts(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{MaxAccounts: 2})
	put := func(spec fakedriver.AccountSpec) error {
		spec.Owner = s3test.Owner
		_, err := s.PutAccount(t.Context(), spec)
		return err
	}
	steps := []struct {
		reason string
		run    func() error
		want   error
	}{
		{"an administrator is not counted", func() error { return put(fakedriver.AccountSpec{ID: "admin", Admin: true}) }, nil},
		{"the first", func() error { return put(fakedriver.AccountSpec{ID: "one"}) }, nil},
		{"the second", func() error { return put(fakedriver.AccountSpec{ID: "two"}) }, nil},
		{"one too many", func() error { return put(fakedriver.AccountSpec{ID: "three"}) }, fakedriver.ErrLimit},
		{"there already", func() error { return put(fakedriver.AccountSpec{ID: "two"}) }, nil},
		{"another administrator", func() error { return put(fakedriver.AccountSpec{ID: "root", Admin: true}) }, nil},
		{"room again", func() error { return s.DeleteAccount(t.Context(), s3test.Owner, "one") }, nil},
		{"the third", func() error { return put(fakedriver.AccountSpec{ID: "three"}) }, nil},
	}
	for _, step := range steps {
		if err := step.run(); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.reason, err, step.want)
		}
	}
}

// TestMaxAccountsOfBucket is about one bucket of two, and about its successor of the same name, to
// which the accounts of the first have no access.
func TestMaxAccountsOfBucket(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	create := func(name string, most int) error {
		_, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: name, Owner: s3test.Owner, MaxAccounts: most})
		return err
	}
	grant := func(id string, buckets ...string) error {
		spec := fakedriver.AccountSpec{ID: id, Owner: s3test.Owner}
		for _, bucket := range buckets {
			spec.Grants = append(spec.Grants, s3test.ReadWrite(bucket))
		}
		_, err := s.PutAccount(t.Context(), spec)
		return err
	}
	steps := []struct {
		reason string
		run    func() error
		want   error
	}{
		{"limited bucket", func() error { return create("photos", 1) }, nil},
		{"free bucket", func() error { return create("archive", 0) }, nil},
		{"the first", func() error { return grant("one", "photos", "archive") }, nil},
		{"one too many", func() error { return grant("two", "archive", "photos") }, fakedriver.ErrLimit},
		{"not limited", func() error { return grant("three", "archive") }, nil},
		{"there already", func() error { return grant("one", "photos", "archive") }, nil},
		{"the bucket goes", func() error { return s.DeleteBucket(t.Context(), s3test.Owner, "photos") }, nil},
		{"and comes again", func() error { return create("photos", 1) }, nil},
		{"no account had access to this one", func() error { return grant("four", "photos") }, nil},
		{"so renewing is too late", func() error { return grant("one", "photos", "archive") }, fakedriver.ErrLimit},
	}
	for _, step := range steps {
		if err := step.run(); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.reason, err, step.want)
		}
	}
}
