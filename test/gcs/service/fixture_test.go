// Package service_test uses the GCS service of the fake driver with Google's client.
package service_test

import (
	"net/http"
	"testing"

	"cloud.google.com/go/storage"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

const owner = "test.example.com"

// fixture is a service that is being served, with the bucket photos.
type fixture struct {
	backend *store.Store
	address string
}

func serve(t *testing.T) *fixture {
	t.Helper()
	kept, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	s, err := gcs.New(gcs.Options{Options: pipeline.Options{Store: kept}})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{backend: kept, address: "http://" + harness.Serve(t, s.Serve)}
	f.bucket(t, "photos")
	return f
}

func (f *fixture) bucket(t *testing.T, name string) {
	t.Helper()
	spec := fakedriver.BucketSpec{Name: name, Owner: owner, Protocol: fakedriver.ProtocolGCS}
	if _, err := f.backend.CreateBucket(t.Context(), spec); err != nil {
		t.Fatalf("CreateBucket(%q): %v", name, err)
	}
}

func (f *fixture) account(t *testing.T, grants ...fakedriver.Grant) fakedriver.Credentials {
	t.Helper()
	c, err := f.backend.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "app", Owner: owner, Grants: grants})
	if err != nil {
		t.Fatalf("PutAccount(): %v", err)
	}
	return c
}

func all(bucket string) fakedriver.Grant {
	return fakedriver.Grant{
		Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
	}
}

// client returns Google's client with a key.
func (f *fixture) client(t *testing.T, c fakedriver.Credentials) *storage.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	token := &oauth2.Token{AccessToken: c.AccessKeyID + ":" + c.SecretAccessKey}
	client, err := storage.NewClient(t.Context(), option.WithEndpoint(f.address+"/storage/v1/"), option.WithHTTPClient(&http.Client{
		Transport: &oauth2.Transport{Source: oauth2.StaticTokenSource(token), Base: transport},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
