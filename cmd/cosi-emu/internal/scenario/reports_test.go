package scenario

import (
	"os"
	"path/filepath"
	"strings"
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

// TestReportProgram: the commands of a report run the program that has written it.
func TestReportProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "all.html")
	r := reports{files: []string{"html=" + file}}
	all, err := r.destinations(report.Text{Program: "./mine"})
	if err != nil {
		t.Fatal(err)
	}
	if err := all[0].save(report.Report{Scenarios: []report.Scenario{{Name: "photos", Recording: "photos.cosirec"}}}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "./mine replay photos.cosirec"; !strings.Contains(string(page), want) {
		t.Errorf("the page does not have the command %q", want)
	}
}
