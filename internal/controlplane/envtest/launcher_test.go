//go:build unix

package envtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

func TestLauncherEnvironment(t *testing.T) {
	t.Setenv("GOGC", "150")
	t.Setenv("GOMAXPROCS", "7")
	for name, test := range map[string]struct {
		opts controlplane.Options
		want map[string]string
	}{
		"AsItIs": {want: map[string]string{"GOGC": "150", "GOMAXPROCS": "7"}},
		"Garbage": {
			opts: controlplane.Options{GCPercent: 400},
			want: map[string]string{"GOGC": "400", "GOMAXPROCS": "7"},
		},
		"Both": {
			opts: controlplane.Options{GCPercent: 400, Processors: 1},
			want: map[string]string{"GOGC": "400", "GOMAXPROCS": "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := newLayout(t.TempDir())
			if err := os.MkdirAll(files.run(), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := files.writeLauncher("program", "/usr/bin/env", test.opts); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), files.launcher("program")).Output()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for line := range strings.Lines(string(out)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				if _, asked := test.want[key]; asked {
					got[key] = value
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("environment of the program (-want +got):\n%s", diff)
			}
		})
	}
}
