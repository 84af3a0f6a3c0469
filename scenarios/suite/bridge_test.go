package suite_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/requirements"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

// TestBridge runs a sample of the suite behind bridges, on drivers of v1alpha1 and of the two
// dialects of v1alpha2 that differ most. Scenarios whose label the dialect cannot express are
// skipped.
func TestBridge(t *testing.T) {
	runOverBridge(t, dialects.V1alpha1, "steady/*.yaml", "access/*key*.yaml", "access/service-account.yaml", "static/existing-bucket.yaml",
		"failures/driver-is-upgraded.yaml")
	for _, dialect := range []dialects.Dialect{dialects.OneMode, dialects.BucketIDs} {
		runOverBridge(t, dialect, "modes/*only.yaml", "static/existing-bucket.yaml")
	}
}

func TestLongBridge(t *testing.T) {
	for _, dialect := range dialects.All() {
		if dialect != dialects.KEP {
			runOverBridge(t, dialect, "*/*.yaml")
		}
	}
}

func runOverBridge(t *testing.T, dialect dialects.Dialect, patterns ...string) {
	t.Helper()
	t.Run(string(dialect), func(t *testing.T) {
		emu := emulatortest.Start(t, emulator.Options{Dialect: dialect})
		t.Cleanup(func() { checkOperations(t, emu.Journal()) })
		for _, pattern := range patterns {
			scenarios.Run(t, pattern, scenarios.On(emu), scenarios.Patience(patience))
		}
	})
}

// skipped lists the dialects that cannot express a requirement.
func skipped(requirement string) []string {
	var names []string
	for _, dialect := range dialects.All() {
		if !requirements.Expresses(dialect, requirement) {
			names = append(names, string(dialect))
		}
	}
	if len(names) == len(dialects.All())-1 {
		return []string{"all"}
	}
	return names
}

// TestBridgeLabels: docs/bridge.md lists the scenarios that cannot run over the bridge, by their
// label and the dialects that cannot express it.
func TestBridgeLabels(t *testing.T) {
	set, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, s := range set.Scenarios {
		if reason := s.Labels[requirements.LabelBridge]; reason != "" {
			row := fmt.Sprint(reason, " ", skipped(reason))
			want[row] = append(want[row], s.Name)
		}
	}
	content, err := os.ReadFile("../../docs/bridge.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, begins := strings.Cut(string(content), "<!-- suite -->\n")
	table, _, ends := strings.Cut(table, "<!-- /suite -->")
	if !begins || !ends {
		t.Fatal("docs/bridge.md has no table of the suite")
	}
	got := map[string][]string{}
	for _, row := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cells := strings.Split(row, " | ")
		if len(cells) != 4 {
			t.Fatalf("row %q must have 4 cells", row)
		}
		list := func(cell string) []string {
			return strings.Split(strings.ReplaceAll(strings.TrimSuffix(cell, " |"), "`", ""), ", ")
		}
		got[fmt.Sprint(strings.Trim(cells[0], "| `"), " ", list(cells[1]))] = list(cells[3])
	}
	for _, names := range want {
		slices.Sort(names)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the labels (-), docs/bridge.md (+):\n%s", diff)
	}
}
