package release

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestChart: the chart has the version of the release, and the tag of its image as default. All other files are
// unchanged.
func TestChart(t *testing.T) {
	const root = "../../../.."
	o := Options{Root: root, Out: t.TempDir(), Version: "v0.2.0-rc.1", Time: time.Unix(1_800_000_000, 0).UTC()}
	if err := o.writeChart(); err != nil {
		t.Fatal(err)
	}
	packaged := chartFiles(t, filepath.Join(o.Out, "cosi-0.2.0-rc.1.tgz"))
	for name, content := range packaged {
		inside, ok := strings.CutPrefix(name, "cosi/")
		if !ok {
			t.Errorf("%s is not in the directory of the chart", name)
			continue
		}
		stored, err := os.ReadFile(filepath.Join(root, "deploy", "chart", inside))
		if err != nil {
			t.Error(err)
		}
		if content != string(stored) && inside != "Chart.yaml" {
			t.Errorf("%s differs from the repository", inside)
		}
	}
	description := packaged["cosi/Chart.yaml"]
	for _, line := range []string{"\nversion: 0.2.0-rc.1\n", "\nappVersion: v0.2.0-rc.1\n", "\nname: cosi\n"} {
		if !strings.Contains(description, line) {
			t.Errorf("Chart.yaml has no line %q:\n%s", strings.TrimSpace(line), description)
		}
	}
	if packaged["cosi/templates/driver.yaml"] == "" || packaged["cosi/values.yaml"] == "" || packaged["cosi/.helmignore"] == "" {
		t.Errorf("files are missing: %d", len(packaged))
	}
}

func chartFiles(t *testing.T, archive string) map[string]string {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	compressed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for reader := tar.NewReader(compressed); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		all[header.Name] = string(content)
	}
}

// TestChartWithoutVersion: a description that cannot be changed is an error.
func TestChartWithoutVersion(t *testing.T) {
	o := Options{Root: t.TempDir(), Out: t.TempDir(), Version: "v0.2.0"}
	dir := filepath.Join(o.Root, "deploy", "chart")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := o.writeChart(); err == nil || !strings.Contains(err.Error(), "no Chart.yaml") {
		t.Errorf("writeChart() without a description = %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("name: cosi\nversion: 1.0.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.writeChart(); err == nil || !strings.Contains(err.Error(), "1 lines with version and appVersion") {
		t.Errorf("writeChart() without appVersion = %v", err)
	}
}
