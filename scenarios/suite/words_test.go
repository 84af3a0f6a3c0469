package suite_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/requirements"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

var (
	// anyWrite are patterns of writes by one verb, which another controller or sidecar need not use.
	anyWrite = regexp.MustCompile(`operation: "?(patch|update|create|delete) \*|operation: patch bucket`)
	// wordedEvent is an Event with words, for which no specification has a sentence.
	wordedEvent = regexp.MustCompile(`operation: create events,?\s+request: \{[^\n]*(reason|note): `)
)

// TestWords: the suite demands writes by whatever verb, and Events about an object in any words, unless a label limits a
// scenario to the emulator's own components.
func TestWords(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(suite.FS, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		text, err := fs.ReadFile(suite.FS, path)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "components: it ") {
			return nil
		}
		if found := anyWrite.Find(text); found != nil {
			t.Errorf("%s: %s; write `write` for the verb", path, found)
		}
		demanded, _, _ := strings.Cut(string(text), "- never:")
		if found := wordedEvent.FindString(demanded); found != "" {
			t.Errorf("%s: %s; no specification names an Event", path, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReasons: no specification names the reason or the text of a condition, so that both are builtIn.
func TestReasons(t *testing.T) {
	t.Parallel()
	all, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all.Scenarios {
		if one.Labels[requirements.LabelComponents] == "" {
			expectedWords(t, one.Name, one.Steps)
		}
	}
}

func expectedWords(t *testing.T, scenario string, steps []spec.Step) {
	t.Helper()
	for i := range steps {
		var objects spec.Expectations
		if steps[i].Expect != nil {
			objects = *steps[i].Expect
		}
		if steps[i].Always != nil {
			objects = append(objects, steps[i].Always.Objects...)
		}
		for j := range objects {
			words(t, scenario, &objects[j].Pattern, false)
		}
		for _, within := range steps[i].Within() {
			expectedWords(t, scenario, within)
		}
	}
}

func words(t *testing.T, scenario string, p *spec.Pattern, condition bool) {
	t.Helper()
	for i := range p.Items {
		words(t, scenario, &p.Items[i], condition)
	}
	for i := range p.Fields {
		field := &p.Fields[i]
		if condition && (field.Name == "reason" || field.Name == "message") && !field.BuiltIn {
			t.Errorf("%s: the %s of a condition is not builtIn", scenario, field.Name)
		}
		words(t, scenario, &field.Pattern, field.Name == "conditions")
	}
}
