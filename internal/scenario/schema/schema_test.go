package schema_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenario/schema"
)

// TestCheckedIn compares the committed file for editors with the generated one.
func TestCheckedIn(t *testing.T) {
	want, err := schema.Generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../scenarios/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error("scenarios/schema.json is out of date, run: make generate")
	}
}
