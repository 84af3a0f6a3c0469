package report_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// TestDocumented verifies that the documentation has every field of the structure.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []reflect.Type{
		reflect.TypeFor[report.Report](), reflect.TypeFor[report.Scenario](), reflect.TypeFor[report.Step](),
		reflect.TypeFor[report.Failure](), reflect.TypeFor[report.Difference](), reflect.TypeFor[report.Position](),
	} {
		for _, field := range reflect.VisibleFields(kind) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" || !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/reports.md does not have the field %q of %s", name, kind.Name())
			}
		}
	}
	if !strings.Contains(string(text), report.APIVersion) {
		t.Errorf("docs/reports.md does not name the version %s", report.APIVersion)
	}
}
