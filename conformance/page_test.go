package conformance_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/conformance/internal/page"
)

// TestPage: docs/conformance.md has all checks as they are.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := page.Update(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("docs/conformance.md is not up to date, run go generate ./conformance: -want, +got:\n%s", diff)
	}
}
