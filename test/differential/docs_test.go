package differential

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocs: docs/control-planes.md has the known differences.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/control-planes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, begins := strings.Cut(string(text), "<!-- differences -->\n")
	table, _, ends := strings.Cut(table, "<!-- /differences -->")
	if !begins || !ends {
		t.Fatal("the page has no list of differences")
	}
	var got, want []string
	for _, row := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		got = append(got, strings.TrimSpace(strings.Split(row, "|")[1]))
	}
	for _, known := range knownDifferences {
		want = append(want, known.Reason)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the differences that the test allows (-), and those of the page (+):\n%s", diff)
	}
}
