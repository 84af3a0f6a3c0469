package env_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

func TestForRootKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "root-key.json")
	info := description.Info{S3Endpoint: "http://127.0.0.1:9000", S3Region: "here-1", S3RootKey: file}
	if _, err := env.ForRootKey(info); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ForRootKey() without the file = %v", err)
	}
	if err := os.WriteFile(file, []byte(`{"accessKeyID": "AK", "secretAccessKey": "SK"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []env.Variable{
		{Name: "AWS_ACCESS_KEY_ID", Value: "AK"},
		{Name: "AWS_DEFAULT_REGION", Value: "here-1"},
		{Name: "AWS_ENDPOINT_URL", Value: "http://127.0.0.1:9000"},
		{Name: "AWS_REGION", Value: "here-1"},
		{Name: "AWS_S3_ADDRESSING_STYLE", Value: "path"},
		{Name: "AWS_SECRET_ACCESS_KEY", Value: "SK"},
	}
	got, err := env.ForRootKey(info)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("ForRootKey(): %v; -want, +got:\n%s", err, diff)
	}
	if err := os.WriteFile(file, []byte(`{"secretAccessKey": "SK"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := env.ForRootKey(info); err == nil || strings.Contains(err.Error(), "SK") {
		t.Errorf("ForRootKey() of a damaged file = %v, want an error without the secret", err)
	}
	if _, err := env.ForRootKey(description.Info{}); !errors.Is(err, env.ErrNoStore) {
		t.Errorf("ForRootKey() without a store = %v", err)
	}
}
