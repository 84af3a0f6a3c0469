package administration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func TestCreateBucket(t *testing.T) {
	spec := func(name, owner, note string) fakedriver.BucketSpec {
		return fakedriver.BucketSpec{Name: name, Owner: owner, Parameters: map[string]string{"note": note}}
	}
	s := s3test.Unserved(t, s3test.Options{})
	first, err := s.CreateBucket(t.Context(), spec("photos", "me", "a"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason string
		spec   fakedriver.BucketSpec
		want   error
	}{
		"Again":           {reason: "The same call gives the same bucket.", spec: spec("photos", "me", "a")},
		"OtherParameters": {reason: "Not the same bucket.", spec: spec("photos", "me", "b"), want: fakedriver.ErrConflict},
		"OtherOwner":      {reason: "A bucket keeps its owner.", spec: spec("photos", "you", "a"), want: fakedriver.ErrConflict},
		"BadName":         {reason: "S3 has rules.", spec: spec("Photos!", "me", "a"), want: fakedriver.ErrInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := s.CreateBucket(t.Context(), tc.spec)
			if !errors.Is(err, tc.want) {
				t.Fatalf("%s\nCreateBucket() = %v, want %v", tc.reason, err, tc.want)
			}
			if diff := cmp.Diff(first, got); err == nil && diff != "" {
				t.Errorf("%s\nbucket: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

//nolint:lll // one case a line
func TestPutAccount(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	for _, name := range []string{"aaa", "bbb"} {
		if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: name, Owner: s3test.Owner}); err != nil {
			t.Fatal(err)
		}
	}
	spec := func(owner string, grants ...fakedriver.Grant) fakedriver.AccountSpec {
		return fakedriver.AccountSpec{ID: "app", Owner: owner, Grants: grants}
	}
	first, err := s.PutAccount(t.Context(), spec("me", s3test.ReadWrite("aaa"), s3test.ReadWrite("bbb")))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason string
		spec   fakedriver.AccountSpec
		want   error
	}{
		"Again":      {reason: "The same call gives the same credentials.", spec: spec("me", s3test.ReadWrite("aaa"), s3test.ReadWrite("bbb"))},
		"OtherOrder": {reason: "The order means nothing.", spec: spec("me", s3test.ReadWrite("bbb"), s3test.ReadWrite("aaa"))},
		"OtherMode":  {reason: "Not the same access.", spec: spec("me", s3test.ReadWrite("aaa"), fakedriver.Grant{Bucket: "bbb"}), want: fakedriver.ErrConflict},
		"Fewer":      {reason: "Not the same access.", spec: spec("me", s3test.ReadWrite("aaa")), want: fakedriver.ErrConflict},
		"OtherOwner": {reason: "An account keeps its owner.", spec: spec("you", s3test.ReadWrite("aaa"), s3test.ReadWrite("bbb")), want: fakedriver.ErrConflict},
		"Twice":      {reason: "Which of the two?", spec: spec("me", s3test.ReadWrite("aaa"), s3test.ReadWrite("aaa")), want: fakedriver.ErrInvalid},
		"NoBucket":   {reason: "There is nothing to reach.", spec: fakedriver.AccountSpec{ID: "new", Owner: "me", Grants: []fakedriver.Grant{s3test.ReadWrite("ccc")}}, want: fakedriver.ErrNotExist},
		"NoID":       {reason: "Nothing to know it by.", spec: fakedriver.AccountSpec{Owner: "me"}, want: fakedriver.ErrInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := s.PutAccount(t.Context(), tc.spec)
			if !errors.Is(err, tc.want) {
				t.Fatalf("%s\nPutAccount() = %v, want %v", tc.reason, err, tc.want)
			}
			if err == nil && got != first {
				t.Errorf("%s\ncredentials have changed", tc.reason)
			}
		})
	}
	accounts, err := s.Accounts(t.Context())
	if err != nil || len(accounts) != 1 {
		t.Errorf("Accounts() = %v, %v; want one, rejected calls leave nothing behind", accounts, err)
	}
	if strings.Contains(fmt.Sprintf("%+v %#v", accounts, first), first.SecretAccessKey) {
		t.Error("the secret is printed")
	}
}

func TestDelete(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos", Owner: "me"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "app", Owner: "me"}); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		name string
		run  func(context.Context) error
		want error
	}{
		{"bucket of another", func(ctx context.Context) error { return s.DeleteBucket(ctx, "you", "photos") }, fakedriver.ErrConflict},
		{"account of another", func(ctx context.Context) error { return s.DeleteAccount(ctx, "you", "app") }, fakedriver.ErrConflict},
		{"bucket", func(ctx context.Context) error { return s.DeleteBucket(ctx, "me", "photos") }, nil},
		{"bucket again", func(ctx context.Context) error { return s.DeleteBucket(ctx, "me", "photos") }, fakedriver.ErrNotExist},
		{"account", func(ctx context.Context) error { return s.DeleteAccount(ctx, "me", "app") }, nil},
		{"account again", func(ctx context.Context) error { return s.DeleteAccount(ctx, "me", "app") }, fakedriver.ErrNotExist},
		{"bucket that is gone", func(ctx context.Context) error { _, err := s.GetBucket(ctx, "photos"); return err }, fakedriver.ErrNotExist},
	}
	for _, step := range steps {
		if err := step.run(t.Context()); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.name, err, step.want)
		}
	}
}

// Design: CSI-ERR-10
func TestNotEmpty(t *testing.T) {
	s, c := s3test.Fixture(t, s3test.Options{})
	s3test.Put(t, c, "k", "content")
	if err := s.DeleteBucket(t.Context(), s3test.Owner, "photos"); !errors.Is(err, fakedriver.ErrNotEmpty) {
		t.Errorf("DeleteBucket() = %v, want %v", err, fakedriver.ErrNotEmpty)
	}
	if got := s3test.Get(t, c, "k"); got != "content" {
		t.Errorf("the object is %q", got)
	}
}

// Design: CSI-DELETE-2
func TestPurge(t *testing.T) {
	for name, dir := range map[string]string{"Memory": "", "Files": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			s := s3test.Serve(t, s3test.Options{Dir: dir})
			spec := fakedriver.BucketSpec{Name: "photos", Owner: s3test.Owner, Purge: true}
			if _, err := s.CreateBucket(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			c := s.Client(t, s.Account(t, "app", s3test.ReadWrite("photos")))
			for i := range 20 {
				s3test.Put(t, c, fmt.Sprint("k", i), "content")
			}
			if err := s.DeleteBucket(t.Context(), s3test.Owner, "photos"); err != nil {
				t.Fatalf("DeleteBucket() = %v, want the objects to go with the bucket", err)
			}
			if _, err := s.CreateBucket(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			spec.Purge = false
			if _, err := s.CreateBucket(t.Context(), spec); !errors.Is(err, fakedriver.ErrConflict) {
				t.Errorf("CreateBucket() without Purge = %v, want %v", err, fakedriver.ErrConflict)
			}
			if err := s.DeleteBucket(t.Context(), s3test.Owner, "photos"); err != nil {
				t.Errorf("the bucket of the same name is not empty: %v", err)
			}
		})
	}
}

func TestParallelAdmin(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	const parallel = 8
	var all sync.WaitGroup
	var mu sync.Mutex
	uids, secrets := map[string]bool{}, map[string]bool{}
	for range parallel {
		all.Go(func() {
			b, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos", Owner: s3test.Owner})
			if err != nil {
				t.Errorf("CreateBucket(): %v", err)
			}
			c, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{
				ID: "app", Owner: s3test.Owner, Grants: []fakedriver.Grant{s3test.ReadWrite("photos")},
			})
			if err != nil {
				t.Errorf("PutAccount(): %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			uids[b.UID], secrets[c.SecretAccessKey] = true, true
		})
	}
	all.Wait()
	if len(uids) != 1 || len(secrets) != 1 {
		t.Errorf("%d buckets and %d accounts, want one of each", len(uids), len(secrets))
	}
}

func TestCredentialsForm(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{Rand: bytes.NewReader(bytes.Repeat([]byte{255, 7, 250, 61}, 100))})
	c, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "app", Owner: s3test.Owner})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[A-Z2-7]{20}$`).MatchString(c.AccessKeyID) {
		t.Errorf("access key ID %q has not the form of Amazon's", c.AccessKeyID)
	}
	if want := strings.Repeat("H9", 20); c.SecretAccessKey != want {
		t.Errorf("secret %q, want %q from these random bytes", c.SecretAccessKey, want)
	}
	short := s3test.Unserved(t, s3test.Options{Rand: strings.NewReader("short")})
	if _, err := short.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "app"}); err == nil {
		t.Error("an account was created without enough random bytes")
	}
}

func TestContextAndClose(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.CreateBucket(ended, fakedriver.BucketSpec{Name: "photos"}); !errors.Is(err, context.Canceled) {
		t.Errorf("CreateBucket() with an ended context = %v", err)
	}
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("Buckets() = %v, %v; want none", buckets, err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Errorf("Close() twice: %v", err)
	}
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos"}); !errors.Is(err, fakedriver.ErrClosed) {
		t.Errorf("CreateBucket() after Close() = %v", err)
	}
	if _, err := s.Accounts(t.Context()); !errors.Is(err, fakedriver.ErrClosed) {
		t.Errorf("Accounts() after Close() = %v", err)
	}
}
