package remote

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// bucket creates a bucket of a store, and returns the environment of an application that may use
// it.
func bucket(t *testing.T) func(string) string {
	t.Helper()
	s, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service, err := s3.New(s3.Options{Options: pipeline.Options{Store: s}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "results", Owner: "test"}); err != nil {
		t.Fatal(err)
	}
	keys, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{
		ID: "test", Owner: "test", Grants: []fakedriver.Grant{{Bucket: "results", ObjectData: fakedriver.ReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return environment(map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_DEFAULT_REGION": s.Region(),
		"AWS_ACCESS_KEY_ID": keys.AccessKeyID, "AWS_SECRET_ACCESS_KEY": keys.SecretAccessKey,
	})
}

func environment(values map[string]string) func(string) string {
	return func(key string) string { return values[key] }
}

// TestObject writes and reads an object in a bucket, and finds it below its prefix.
func TestObject(t *testing.T) {
	getenv := bucket(t)
	const first, second, other = "s3://results/explore/0.state", "s3://results/explore/1.state", "s3://results/explore/log"
	if _, err := ReadFile(t.Context(), getenv, first); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before it is written: %v, want ErrNotExist", err)
	}
	for _, object := range []struct{ url, text string }{{second, "b"}, {first, "old"}, {first, "a"}, {other, "c"}} {
		write(t, getenv, object.url, object.text)
	}
	if data, err := ReadFile(t.Context(), getenv, first); err != nil || string(data) != "a" {
		t.Errorf("got %q, %v", data, err)
	}
	local := filepath.Join(t.TempDir(), "x"+Suffix)
	if err := os.WriteFile(local, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	names, err := Expand(t.Context(), getenv, "s3://results/explore/", filepath.Dir(local), local, second)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{first, second, local, local, second}, names); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for _, empty := range []string{"s3://results/none/", t.TempDir()} {
		if _, err := Expand(t.Context(), getenv, empty); err == nil || !strings.Contains(err.Error(), empty) {
			t.Errorf("%s without states: %v", empty, err)
		}
	}
}

func write(t *testing.T, getenv func(string) string, url, text string) {
	t.Helper()
	object, err := Open(url, getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := object.Write(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestOpenRejects verifies that the error names the missing variables.
func TestOpenRejects(t *testing.T) {
	complete := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key", "AWS_REGION": "eu-west-1"}
	if _, err := Open("s3://bucket/key", environment(complete)); err != nil {
		t.Errorf("at AWS: %v", err)
	}
	for missing := range complete {
		values := map[string]string{}
		for key, value := range complete {
			if key != missing {
				values[key] = value
			}
		}
		want := strings.Replace(missing, "AWS_REGION", "AWS_DEFAULT_REGION", 1)
		if _, err := Open("s3://bucket/key", environment(values)); err == nil || !strings.Contains(err.Error(), want+" is not set") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
	for _, url := range []string{"s3://", "s3://bucket", "s3://bucket/", "s3:///key", "bucket/key"} {
		if _, err := Open(url, environment(complete)); err == nil || !strings.Contains(err.Error(), url) {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestJoin(t *testing.T) {
	got := []string{Join("a", "b"), Join("s3://a", "b"), Join("s3://a/c/", "b")}
	if want := []string{filepath.Join("a", "b"), "s3://a/b", "s3://a/c/b"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
