package profiles

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const root = "../.."

// TestPage: the page is up to date, and has each check.
func TestPage(t *testing.T) {
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	page := files[pageFile]
	current, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil || !bytes.Equal(current, page) {
		t.Errorf("%s is out of date (%v); run `make generate`", pageFile, err)
	}
	for _, c := range checks.All() {
		if !bytes.Contains(page, []byte(c.ID)) {
			t.Errorf("the page does not have check %s", c.ID)
		}
		if c.Sentence == "" || c.Source.Name == "" {
			t.Errorf("check %s rests on no sentence", c.ID)
		}
		if source := c.RuleFor(dialects.KEP).Source.Name; c.Dialects.Has(dialects.KEP) && strings.Contains(source, "v1alpha1") {
			t.Errorf("check %s judges a driver of the KEP by %s", c.ID, source)
		}
	}
}

// TestCheck: each oracle rests on a sentence of each specification, or has a reason.
func TestCheck(t *testing.T) {
	all, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func([]basis) []basis
		says   string
	}{
		"no statement": {func(b []basis) []basis { b[0].KEP = nil; return b }, "oracle leak rests on no statement"},
		"no row":       {func(b []basis) []basis { return b[1:] }, "list them in their order"},
	} {
		if err := check(tc.change(slices.Clone(all))); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
	unknown := slices.Clone(all)
	unknown[0].KEP = []string{"NONE-1"}
	if err := writeOracles(&bytes.Buffer{}, specifications[0], map[string]string{}, unknown); err == nil {
		t.Error("an unknown statement is accepted")
	}
}
