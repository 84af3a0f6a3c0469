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

func TestForAdministrator(t *testing.T) {
	file := filepath.Join(t.TempDir(), "administrator.json")
	info := description.Info{S3Endpoint: "http://127.0.0.1:9000", S3Region: "here-1", S3Administrator: file}
	if _, err := env.ForAdministrator(info); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ForAdministrator() without the file = %v", err)
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
	got, err := env.ForAdministrator(info)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("ForAdministrator(): %v; -want, +got:\n%s", err, diff)
	}
	if err := os.WriteFile(file, []byte(`{"secretAccessKey": "SK"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := env.ForAdministrator(info); err == nil || strings.Contains(err.Error(), "SK") {
		t.Errorf("ForAdministrator() of a damaged file = %v, want an error without the secret", err)
	}
	if _, err := env.ForAdministrator(description.Info{}); !errors.Is(err, env.ErrNoStore) {
		t.Errorf("ForAdministrator() without a store = %v", err)
	}
}
