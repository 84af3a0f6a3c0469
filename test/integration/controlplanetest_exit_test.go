package integration_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestNothingIsLeft runs TestControlPlaneShared in a test binary of its own, with a
// directory for temporary files that shows what stays when the binary has ended.
func TestNothingIsLeft(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx := harness.Context(t)
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, self, "-test.run=^TestControlPlaneShared$", "-test.v")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestControlPlaneShared") {
		t.Fatalf("%v\n%s", err, out)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for left := firstTrace(ctx, t, dir); left != ""; left = firstTrace(ctx, t, dir) {
		select {
		case <-ctx.Done():
			t.Fatalf("still there: %s", left)
		case <-tick.C:
		}
	}
}

// firstTrace returns the first file in dir or process that mentions it.
func firstTrace(ctx context.Context, t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) > 0 {
		return entries[0].Name()
	}
	out, err := exec.CommandContext(ctx, "ps", "-ww", "-e", "-o", "command=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, dir) {
			return line
		}
	}
	return ""
}
