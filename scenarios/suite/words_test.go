package suite_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

var (
	// anyWrite are patterns of writes by one verb, which another controller or sidecar need not use.
	anyWrite = regexp.MustCompile(`operation: "?(patch|update|create|delete) \*|operation: patch bucket`)
	// wordedEvent is an Event with words, for which v1alpha1 has no sentence.
	wordedEvent = regexp.MustCompile(`operation: create events,?\s+request: \{[^\n]*(reason|note): `)
)

// TestWords: the suite demands writes by whatever verb, and Events of v1alpha1 about an object in any words, unless a label
// limits a scenario to the emulator's own components.
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
		if found := wordedEvent.FindString(demanded); found != "" && strings.HasPrefix(path, olderGeneration+"/") {
			t.Errorf("%s: %s; v1alpha1 names no Event", path, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
