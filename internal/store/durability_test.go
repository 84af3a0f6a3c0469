package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	var before []fakedriver.Bucket
	var credentials fakedriver.Credentials
	t.Run("First", func(t *testing.T) {
		s, c := s3test.Fixture(t, s3test.Options{Dir: dir})
		credentials = s.Account(t, "app", s3test.ReadWrite("photos"))
		s3test.Put(t, c, "k", "content")
		before, _ = s.Buckets(t.Context())
	})
	s := s3test.Serve(t, s3test.Options{Dir: dir})
	after, err := s.Buckets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("buckets: -before, +after:\n%s", diff)
	}
	if again := s.Account(t, "app", s3test.ReadWrite("photos")); again != credentials {
		t.Error("the credentials have changed")
	}
	if got := s3test.Get(t, s.Client(t, credentials), "k"); got != "content" {
		t.Errorf("the object is %q", got)
	}
	for _, file := range []string{"store.db"} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", file, info.Mode(), err)
		}
	}
	if _, err := s3test.Open(s3test.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("New() on a directory in use = %v", err)
	}
}

// TestCompleteAgainReopened repeats a completion after a restart.
func TestCompleteAgainReopened(t *testing.T) {
	dir := t.TempDir()
	var u *s3.CreateMultipartUploadOutput
	var part types.CompletedPart
	var etag string
	t.Run("First", func(t *testing.T) {
		s, c := s3test.Fixture(t, s3test.Options{Dir: dir})
		a := &s3test.App{T: t, Store: s, S3: c, Bucket: new("photos")}
		u = a.Begin("k")
		part = a.Part(u, 1, "part")
		done, err := a.Complete(u, part)
		a.Must(err)
		etag = *done.ETag
	})
	s := s3test.Serve(t, s3test.Options{Dir: dir})
	a := &s3test.App{T: t, Store: s, S3: s.Client(t, s.Admin(t)), Bucket: new("photos")}
	done, err := a.Complete(u, part)
	a.Must(err)
	if *done.ETag != etag {
		t.Errorf("the second answer has the ETag %s, want %s", *done.ETag, etag)
	}
}

// TestEarlierVersion expects an error for the files of an earlier version, instead of an empty
// store.
func TestEarlierVersion(t *testing.T) {
	for _, name := range []string{"accounts.db", "objects.db"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("anything"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s3test.Open(s3test.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("New() on a directory with %s = %v, want an error that names it", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "store.db")); err == nil {
			t.Errorf("a blob store was created beside %s", name)
		}
	}
}

func TestServeEndsWithContext(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	l := s3test.Listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve() = %v", err)
	}
}
