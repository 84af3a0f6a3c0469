package conformance_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// htmlReport returns the page of a run in which CB-10 fails, and others pass, are skipped, and
// are not supported.
func htmlReport(t *testing.T) string {
	t.Helper()
	config := processConfig(t, fakedriver.V1alpha2, ignoresParameters)
	config.Only, config.Skip = []string{"CB-01", "CB-10", "SA-01", "CS-10", "ID-02", "GE-04", "CB-12"}, []string{"ID-02"}
	report, err := conformance.Execute(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := report.Save(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, conformance.FileHTML))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// sections returns the texts of the page's sections by their labels.
func sections(t *testing.T, page string) map[string]string {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "section" {
			continue
		}
		var text strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				text.WriteString(d.Data + " ")
			}
		}
		for _, a := range n.Attr {
			if a.Key == "aria-label" {
				label, _, _ := strings.Cut(a.Val, " ")
				all[label] = strings.Join(strings.Fields(text.String()), " ")
			}
		}
	}
	return all
}

// TestHTML: the page has the verdicts, what to mend, and each check with its calls, its
// requests and the life of the driver's process.
func TestHTML(t *testing.T) {
	page := htmlReport(t)
	got := sections(t, page)
	for section, want := range map[string][]string{
		"Summary": {"not conformant", "1 of 7 checks failed", "Core", "Mend first", "CB-10 DriverCreateBucket rejects other parameters"},
		"CB-01":   {"suite", "GenerateBucketId", "DriverCreateBucket", "DriverDeleteBucket", `protocols: - type: S3`, "profile=Core"},
		"CB-10":   {"fail", "is rejected", "Run just this check: cosi-emu conformance", "--only CB-10 --seed test", "D02"},
		"SA-01":   {"store", "PutObject", "conformance/probe", "***redacted***"},
		"CS-10":   {"driver: crash", "driver: start", "DriverCreateBucket"},
		"ID-02":   {"skipped by the configuration"},
		"GE-04":   {"not supported: the parameters file names no existing bucket"},
		"CB-12":   {"DriverCreateBucket"},
	} {
		for _, text := range want {
			if !strings.Contains(got[section], text) {
				t.Errorf("section %s does not have %q: %s", section, text, got[section])
			}
		}
	}
	for _, loads := range []string{"<link", "src=", "@import", "http-equiv=\"refresh\""} {
		if strings.Contains(page, loads) {
			t.Errorf("the page has %q, and must need nothing else", loads)
		}
	}
}

// TestHTMLBrowser: Chromium shows the summary first, and a check by its address, without
// complaints.
func TestHTMLBrowser(t *testing.T) {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium in PATH: what the script does is not tried")
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(htmlReport(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{"": "s0", "#s2": "s2"} {
		dom := browse(t, program, "file://"+file+address)
		if !strings.Contains(dom, `id="`+want+`" aria-label=`) || !strings.Contains(dom, `class="current"`) {
			t.Errorf("%q: the page does not show section %s", address, want)
		}
		if shown := strings.Count(dom, `class="current"`); shown != 1 {
			t.Errorf("%q: the page shows %d sections, want 1", address, shown)
		}
	}
}

// browse opens a page in Chromium, and returns what has become of it.
func browse(t *testing.T, program, address string) string {
	t.Helper()
	profile, err := os.MkdirTemp("", "conformance-browser-") //nolint:usetesting // a browser that ends may still write to it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	flags := []string{
		"--headless=new", "--disable-gpu", "--no-first-run", "--disable-extensions", "--enable-logging=stderr",
		"--user-data-dir=" + profile, "--virtual-time-budget=5000", "--dump-dom",
	}
	if os.Geteuid() == 0 {
		flags = append(flags, "--no-sandbox") // it does not start as root otherwise
	}
	cmd := exec.CommandContext(ctx, program, append(flags, address)...)
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, errs.String())
	}
	if strings.Contains(errs.String(), "CONSOLE") {
		t.Errorf("the script, or the policy, complains:\n%s", errs.String())
	}
	return out.String()
}
