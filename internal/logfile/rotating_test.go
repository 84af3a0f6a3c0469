package logfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/logfile"
)

// TestRotating: the latest lines are there, whole, also after a restart.
func TestRotating(t *testing.T) {
	const limit = 6
	for name, tc := range map[string]struct {
		writes        []string
		now, earlier  string
		reopenedAfter int
	}{
		"Below":    {writes: []string{"one\n", "2\n"}, now: "one\n2\n"},
		"Above":    {writes: []string{"one\n", "two\n"}, now: "two\n", earlier: "one\n"},
		"Twice":    {writes: []string{"one\n", "two\n", "three\n"}, now: "three\n", earlier: "two\n"},
		"LongLine": {writes: []string{"one\n", "longer than the limit\n", "two\n"}, now: "two\n", earlier: "longer than the limit\n"},
		"Reopened": {writes: []string{"one\n", "2\n", "three\n"}, now: "three\n", earlier: "one\n2\n", reopenedAfter: 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			mustWrite(t, path, limit, tc.writes[:tc.reopenedAfter])
			mustWrite(t, path, limit, tc.writes[tc.reopenedAfter:])
			earlier, _ := os.ReadFile(logfile.Earlier(path))
			now, err := os.ReadFile(path)
			if diff := cmp.Diff([]string{tc.now, tc.earlier}, []string{string(now), string(earlier)}); err != nil || diff != "" {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("mode %s, %v", info.Mode(), err)
			}
		})
	}
}

// mustWrite opens the file, writes texts, and closes it twice.
func mustWrite(t *testing.T, path string, limit int64, texts []string) {
	t.Helper()
	file, err := logfile.OpenRotating(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if n, err := file.Write([]byte(text)); n != len(text) || err != nil {
			t.Error(n, err)
		}
	}
	for range 2 {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
