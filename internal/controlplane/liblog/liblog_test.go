package liblog

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"k8s.io/klog/v2"
)

// logFromLibrary represents a library of the API server.
func logFromLibrary() {
	klog.Info("from the library")
}

// TestDivert expects lines of a library of the API server in the file of the latest API server, and
// all others in the writer, in klog's format.
func TestDivert(t *testing.T) {
	defer klog.CaptureState().Restore()
	libraries = append(libraries, "github.com/cosi-emu/cosi-emu/internal/controlplane/liblog.logFromLibrary")
	t.Cleanup(func() { libraries = libraries[:len(libraries)-1] })
	var others bytes.Buffer
	Divert(&others)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")

	logFromLibrary()
	expectLines(t, "without an API server", others.String(), `from the library`)
	removeFirst := AddFile(first)
	removeSecond := AddFile(second)
	others.Reset()
	klog.Infof("line %d", 1)
	klog.InfoS("line", "n", 2)
	klog.Background().Info("line", "n", 3)
	klog.V(1).Info("too much")
	logFromLibrary()
	expectLines(t, "others", others.String(), `line 1`, `"line" n=2`, `"line" n=3`)
	expectLines(t, "the second file", read(t, second), `from the library`)
	removeSecond()
	logFromLibrary()
	expectLines(t, "the first file", read(t, first), `from the library`)
	removeFirst()
	others.Reset()
	logFromLibrary()
	klog.Info("line")
	expectLines(t, "after the API servers", others.String(), `line`)
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// expectLines expects lines with klog's header, which names the file that logs.
func expectLines(t *testing.T, what, got string, want ...string) {
	t.Helper()
	pattern := "^"
	for _, line := range want {
		pattern += `I\d{4} [\d:.]{15} +\d+ liblog_test\.go:\d+\] ` + regexp.QuoteMeta(line) + "\n"
	}
	if !regexp.MustCompile(pattern + "$").MatchString(got) {
		t.Errorf("%s: got %q, want lines %q", what, got, want)
	}
}
