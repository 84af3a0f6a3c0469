package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

// htmlReport returns the page of a run in which CB-10 fails, and others pass, are skipped, and
// are not supported.
func htmlReport(t *testing.T) string {
	t.Helper()
	config := processConfig(t, dialects.KEP, ignoresParameters)
	config.Only, config.Skip = []string{"GB-01", "CB-01", "CB-10", "SA-01", "CS-10", "ID-02", "GE-04", "CB-12"}, []string{"ID-02"}
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

// TestHTML: the page has the verdicts, what to fix, and each check with its calls, its
// requests and the life of the driver's process.
func TestHTML(t *testing.T) {
	page := htmlReport(t)
	got := sections(t, page)
	for section, want := range map[string][]string{
		"Summary": {
			"not conformant", "1 of 8 checks failed", "Core", "all 4 1 1 0 1 1", "Fix first",
			"CB-10 DriverCreateBucket rejects other parameters",
		},
		"CB-01": {"suite", "GenerateBucketId", "DriverCreateBucket", "DriverDeleteBucket", `protocols: - type: S3`, "profile=Core"},
		"CB-10": {"fail", "is rejected", "Run it again cosi-emu conformance", "--only CB-10 --seed test", "D02"},
		"SA-01": {"store", "PutObject", "conformance/probe", "***redacted***"},
		"CS-10": {"driver: crash", "driver: start", "DriverCreateBucket"},
		"ID-02": {"skipped by the configuration"},
		"GE-04": {"not supported: the parameters file names no existing bucket"},
		"CB-12": {"DriverCreateBucket"},
	} {
		for _, text := range want {
			if !strings.Contains(got[section], text) {
				t.Errorf("section %s does not have %q: %s", section, text, got[section])
			}
		}
	}
	if !strings.Contains(page, `<section id="s1" aria-label="CB-10 `) {
		t.Error("the failed check is not the first")
	}
	for _, loads := range []string{"<link", "src=", "@import", "http-equiv=\"refresh\""} {
		if strings.Contains(page, loads) {
			t.Errorf("the page has %q, and must need nothing else", loads)
		}
	}
}

// brokenWords returns the words of names and tables that are on two lines. Messages, which can have words of any
// length, are in the last column.
const brokenWords = `(() => {
	const broken = new Set(), range = document.createRange();
	for (const e of document.querySelectorAll('#list .name, th, td:not(:last-child)')) {
		if (!e.checkVisibility()) continue;
		const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/\w+/g)) {
			range.setStart(texts.currentNode, word.index);
			range.setEnd(texts.currentNode, word.index + word[0].length);
			if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) broken.add(word[0]);
		}
	}
	return [...broken].join();
})()`

// TestHTMLBrowser: Chromium shows the summary first, and a check by its address, without
// complaints.
func TestHTMLBrowser(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(htmlReport(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{"": "s0", "#s2": "s2"} {
		b := browser.Start(t)
		b.Size(900, 800)
		b.Open("file://" + file + address)
		if shown := b.Eval("[...document.querySelectorAll('section.current')].map(e => e.id).join()"); shown != want {
			t.Errorf("%q: the page shows %v, want section %s", address, shown, want)
		}
		if broken := b.Eval(brokenWords); broken != "" {
			t.Errorf("%q: lines break within the words %v", address, broken)
		}
		if said := b.Complaints(); len(said) > 0 {
			t.Errorf("%q: the script, or the policy, complains:\n%s", address, strings.Join(said, "\n"))
		}
	}
}
