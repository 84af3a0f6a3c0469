package protocol_test

import (
	"bytes"
	"net/http/httptest"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

const owner = "test.example.com"

// fixture is a service that is being served, with the bucket photos.
type fixture struct {
	store   *store.Store
	service *gcs.Service
	address string
}

func serve(t *testing.T, options gcs.Options) *fixture {
	t.Helper()
	return serveIn(t, options, store.Options{})
}

func serveIn(t *testing.T, options gcs.Options, kept store.Options) *fixture {
	t.Helper()
	s, err := store.New(kept)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	options.Store = s
	service, err := gcs.New(options)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{store: s, service: service, address: "http://" + harness.Serve(t, service.Serve)}
	f.bucket(t, "photos")
	return f
}

// serveS3 serves the store's S3 buckets, and returns the address.
func (f *fixture) serveS3(t *testing.T) string {
	t.Helper()
	service, err := s3.New(s3.Options{Options: pipeline.Options{Store: f.store}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.Handler())
	t.Cleanup(server.Close)
	return server.URL
}

func (f *fixture) bucket(t *testing.T, name string) {
	t.Helper()
	spec := fakedriver.BucketSpec{Name: name, Owner: owner, Protocol: fakedriver.ProtocolGCS}
	if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
		t.Fatalf("CreateBucket(%q): %v", name, err)
	}
}

func (f *fixture) account(t *testing.T, id string, grants ...fakedriver.Grant) fakedriver.Credentials {
	t.Helper()
	c, err := f.store.PutAccount(t.Context(), fakedriver.AccountSpec{ID: id, Owner: owner, Grants: grants})
	if err != nil {
		t.Fatalf("PutAccount(%q): %v", id, err)
	}
	return c
}

func all(bucket string) fakedriver.Grant {
	return fakedriver.Grant{
		Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
	}
}

// bytesWithout removes the address, which differs each time.
func bytesWithout(body []byte, address string) []byte {
	return bytes.ReplaceAll(body, []byte(address), nil)
}
