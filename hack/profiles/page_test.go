package profiles

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const root = "../.."

// TestPage: the page and the texts are up to date, and the page has each check.
func TestPage(t *testing.T) {
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, made := range files {
		if current, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(current, made) {
			t.Errorf("%s is out of date (%v); run `make generate`", name, err)
		}
	}
	page := files[pageFile]
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
	without, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(map[string]string)
		says   string
	}{
		"no reason": {func(w map[string]string) { delete(w, vocabulary.Silence) }, "oracle silence rests on no statement of v1alpha1"},
		"misspelt":  {func(w map[string]string) { w["silent"] = "why" }, `there is no oracle "silent"`},
	} {
		changed := maps.Clone(without)
		tc.change(changed)
		if err := check(changed); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
	if err := writeOracles(&bytes.Buffer{}, specifications[0], map[string]rule.Statement{}, without); err == nil {
		t.Error("an unknown statement is accepted")
	}
}
