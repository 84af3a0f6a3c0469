package skew

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clone is a directory with the scripts, and a fake program.
type clone struct {
	*testing.T

	dir string
}

// newClone has a program that prints its arguments and exits with 4 for a replay of a recording named different.
func newClone(t *testing.T) clone {
	t.Helper()
	c := clone{t, t.TempDir()}
	c.write("bin/cosi-emu", "#!/bin/sh\necho \"$*\"\ncase \"$*\" in *different*) exit 4;; esac\n")
	c.write("test/skew/changed", "bucket-first for a reason\n")
	c.write("test/skew/previous", "# the build\n0123456789abcdef0123456789abcdef01234567\n")
	for _, name := range []string{"skew.sh", "recordings.sh"} {
		script, err := os.ReadFile("../../hack/" + name)
		if err != nil {
			t.Fatal(err)
		}
		c.write("hack/"+name, string(script))
	}
	return c
}

func (c clone) write(name, content string) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil { //nolint:gosec // a program
		c.Fatal(err)
	}
}

// run runs a script and returns its output and its success.
func (c clone) run(env string, script ...string) (string, bool) {
	cmd := exec.CommandContext(c.Context(), "bash", script...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PREVIOUS=", "RECORDINGS=", "GIT_CEILING_DIRECTORIES="+c.dir, env)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestScript runs hack/skew.sh without a previous build, and hack/recordings.sh without a release.
func TestScript(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason, env string
		recordings  []string
		script      []string
		succeeds    bool
		want        []string
		never       string
	}{
		"MissingCommit": {
			"What did not run has not passed.", "PREVIOUS=v9.9.9", nil, []string{"hack/skew.sh"}, false,
			[]string{"the clone has no commit v9.9.9: fetch it", "make test-skew PREVIOUS=REF"}, "build the previous program",
		},
		"MissingDefault": {
			"Nor without PREVIOUS.", "PREVIOUS=", nil, []string{"hack/skew.sh"}, false,
			[]string{"the clone has no commit 0123456789abcdef0123456789abcdef01234567"}, "build the previous program",
		},
		"NoRecordings": {
			"The directory is wrong.", "RECORDINGS=given", nil, []string{"hack/skew.sh"}, false,
			[]string{"RECORDINGS=given has no file *.cosirec"}, "replay",
		},
		"Recordings": {
			"All are judged, and the base life is replayed, without a previous build.", "RECORDINGS=given",
			[]string{"lifecycle.1", "v1alpha1-key-access.1", "bucket-first.1", "other.1"}, []string{"hack/skew.sh"}, true,
			[]string{
				"replay given/lifecycle.1.cosirec --control-plane embedded", "replay given/v1alpha1-key-access.1.cosirec --control-plane embedded",
				"replayed 2 recordings of given",
			}, "replay given/bucket-first.1.cosirec --control-plane embedded",
		},
		"Different": {
			"This build acts otherwise.", "RECORDINGS=given", []string{"lifecycle.different"}, []string{"hack/skew.sh"}, false,
			[]string{"expected exit code 0 of its judgement, got 4", "replay given/lifecycle.different.cosirec --as judge"},
			"build the previous program",
		},
		"NothingToReplay": {
			"They are of something else.", "RECORDINGS=given", []string{"other.1"}, []string{"hack/skew.sh"}, false,
			[]string{"given has no recording that can be replayed", "make release-recordings"}, "build the previous program",
		},
		"NoRelease": {
			"There is no program that can record.", "", nil, []string{"hack/recordings.sh", "v9.9.9"}, false,
			[]string{"there is no archive bin/release/v9.9.9/cosi-emu_v9.9.9_", "run make release"}, "--record",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			for _, recording := range tc.recordings {
				c.write("given/"+recording+".cosirec", "")
			}
			out, succeeds := c.run(tc.env, tc.script...)
			if succeeds != tc.succeeds || strings.Contains(out, tc.never) {
				t.Errorf("%s\nsuccess: %t, want %t, and no %q:\n%s", tc.reason, succeeds, tc.succeeds, tc.never, out)
			}
			for _, want := range tc.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s\nno %q in\n%s", tc.reason, want, out)
				}
			}
		})
	}
}
