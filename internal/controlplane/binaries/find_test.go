package binaries

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindInNamedDirectory(t *testing.T) {
	tests := map[string]struct {
		reason  string
		have    []string
		corrupt func(t *testing.T, dir string)
		err     error
		lacks   bool // kube-controller-manager
	}{
		"Whole":             {reason: "all three programs are used", have: []string{Etcd, APIServer, ControllerManager}},
		"ControllerManager": {reason: "envtest's users have only two", have: []string{Etcd, APIServer}, lacks: true},
		"Etcd":              {reason: "nothing works without etcd", have: []string{APIServer}, err: ErrNotFound},
		"Half": {
			reason: "a file of the user's is neither used nor replaced when it is bad",
			have:   []string{Etcd, APIServer, ControllerManager},
			corrupt: func(t *testing.T, dir string) {
				t.Helper()
				writeFile(t, filepath.Join(dir, ControllerManager), "", 0o755)
			},
			err: ErrIncomplete,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			opts, _ := fakeOptions(t)
			dir := t.TempDir()
			writeScripts(t, dir, tc.have...)
			if tc.corrupt != nil {
				tc.corrupt(t, dir)
			}
			opts.Dir = dir
			got, err := Find(testContext(t), opts)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: got %v, want %v", tc.reason, err, tc.err)
			}
			if err != nil {
				return
			}
			if (got.ControllerManager == "") != tc.lacks || (got.Missing != "") != tc.lacks {
				t.Errorf("%s: got %+v", tc.reason, got)
			}
		})
	}
}

func TestFindInAssetsDirectory(t *testing.T) {
	opts, _ := fakeOptions(t)
	dir := t.TempDir()
	writeScripts(t, dir, Etcd, APIServer, ControllerManager)
	t.Setenv(AssetsVariable, dir)
	want := setIn(dir)
	want.Source = "KUBEBUILDER_ASSETS=" + dir
	got, err := Find(testContext(t), opts)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
}

func TestDefaultCacheDir(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	got, err := defaultCacheDir()
	if want := filepath.Join(dir, "cosi-emu", "controlplane"); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	base, err := os.UserCacheDir()
	if err != nil {
		t.Skip("this user has no cache directory")
	}
	got, err = defaultCacheDir()
	if want := filepath.Join(base, "cosi-emu", "controlplane"); err != nil || got != want {
		t.Errorf("on %s: got %s, %v, want %s", runtime.GOOS, got, err, want)
	}
}
