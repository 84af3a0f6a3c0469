package timeline_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// specification is the one external address in the test pages.
const specification = "https://example.com/#a:~:text=b"

// presentation is the presentation of a report about checks.
func presentation() timeline.Presentation {
	return timeline.Presentation{
		Title: "Conformance", Links: map[string]string{"lifecycle": specification}, Noun: "check", User: "suite",
		Outcomes: map[outcome.Outcome]string{outcome.Failed: "not met"},
		Summary: &timeline.Summary{
			Heading: "not conformant", Facts: []timeline.Fact{{Name: "Driver", Text: "a.example.com"}}, Notes: []string{"One check failed."},
			Tables: []timeline.Table{{
				Heading: "Verdicts", Header: []string{"profile", "verdict"},
				Rows: [][]timeline.Cell{{{Text: "Core", Entry: 2}, {Text: "bad", Outcome: outcome.Failed}}},
			}},
		},
	}
}

func writeAs(t *testing.T, as timeline.Presentation) string {
	t.Helper()
	var text bytes.Buffer
	if err := timeline.WriteAs(&text, fixture(), as); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestPresentation(t *testing.T) {
	page := writeAs(t, presentation())
	root := parse(t, page, false)
	if got := textOf(byID(root, "s0")); got != "not conformant One check failed. Drivera.example.com Verdicts profileverdict Corebad" {
		t.Errorf("the summary is %q", got)
	}
	for n := range find(byID(root, "s2"), "badge") {
		if got := textOf(n); got != "not met" {
			t.Errorf("the badge of a failed check is %q", got)
		}
		break
	}
	first := ""
	for n := range find(byID(root, "s2"), "lane-name") {
		first = ownText(n)
		break
	}
	if first != "suite" {
		t.Errorf("the lane of the steps is %q", first)
	}
	for _, text := range []string{"<title>Conformance</title>", "Filter checks", `href="#s2">Core</a>`, `<a href="` + specification + `"`} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not have %q", text)
		}
	}
	visible := page[strings.Index(page, "</style>"):strings.LastIndex(page, "<script>")]
	if strings.Contains(visible, "cenario") {
		t.Error("the page says what a scenario is about")
	}
	if strings.Count(page, " data-first") != 1 {
		t.Error("the summary alone must be shown first")
	}
}

func TestCommands(t *testing.T) {
	as := presentation()
	as.Rerun = func(s report.Scenario) string { return "cosi-emu run " + s.Name }
	for program, replay := range map[string]string{
		"":           "cosi-emu replay lifecycle.cosirec",
		"./cosi-emu": "./cosi-emu replay lifecycle.cosirec",
	} {
		as.Program = program
		root := parse(t, writeAs(t, as), false)
		var got []string
		for n := range find(byID(root, "s2"), "command") {
			got = append(got, textOf(n))
		}
		want := []string{"Run it again cosi-emu run lifecycle Copy", "Replay it " + replay + " Copy"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("program %q: -want, +got:\n%s", program, diff)
		}
	}
}

func TestPresentationHostile(t *testing.T) {
	for _, text := range hostile {
		as := presentation()
		poison(reflect.ValueOf(&as).Elem(), text)
		page := writeAs(t, as)
		harmless(t, parse(t, page, false))
		harmless(t, parse(t, page, true))
	}
}

func TestBrowserSummary(t *testing.T) {
	root := browse(t, writeAs(t, presentation()), "")
	for n := range find(root, "current") {
		if id := attribute(n, "id"); id != "s0" {
			t.Errorf("section %s is shown first", id)
		}
		return
	}
	t.Error("no section is shown")
}
