package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/report"
)

// TestReportBesideFindings: the directory of findings is made by the command, also for its report.
func TestReportBesideFindings(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "found", "all.html")
	r := reports{files: []string{"html=" + file}, made: filepath.Join(dir, "found") + string(filepath.Separator)}
	all, err := r.destinations(report.Text{})
	if err != nil {
		t.Fatalf("destinations() = %v, want the directory of --out accepted", err)
	}
	if err := all[0].save(report.Report{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	r.made = dir
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.destinations(report.Text{}); !cli.IsUsage(err) {
		t.Errorf("destinations() = %v, want a missing directory rejected", err)
	}
}
