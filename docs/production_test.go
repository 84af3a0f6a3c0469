package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestProbeGuidance compares the probe that production.md recommends for a driver with the probe of the chart.
// Design: CSI-ID-7
func TestProbeGuidance(t *testing.T) {
	probe := map[string]*corev1.Probe{}
	for file, marks := range map[string][2]string{
		"docs/production.md":                 {"```yaml\nlivenessProbe:", "```\n"},
		"deploy/chart/templates/driver.yaml": {`{{- define "cosi.driverProbe" -}}`, "{{- end -}}"},
	} {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(content), marks[0])
		_, text, _ := strings.Cut(rest, "\n")
		text, _, closed := strings.Cut(text, marks[1])
		if !found || !closed {
			t.Fatalf("%s has no probe of a driver", file)
		}
		probe[file] = &corev1.Probe{}
		if err := yaml.UnmarshalStrict([]byte(text), probe[file]); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, text)
		}
	}
	if diff := cmp.Diff(probe["deploy/chart/templates/driver.yaml"], probe["docs/production.md"]); diff != "" {
		t.Errorf("the probe of the chart and of production.md (-chart +page):\n%s", diff)
	}
}
