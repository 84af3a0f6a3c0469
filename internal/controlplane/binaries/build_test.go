package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindBuildsWithoutNetwork(t *testing.T) {
	opts, progress := fakeOptions(t)
	set, err := Find(testContext(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	want := setIn(filepath.Join(opts.CacheDir, keyOf(thisPlatform)))
	want.Version = KubernetesVersion
	want.Source = filepath.Join(opts.CacheDir, keyOf(thisPlatform)) + " (built from the Go module proxy)"
	if diff := cmp.Diff(want, set); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	phases := []string{"note ", "building kube-apiserver", "building kube-controller-manager", "building etcd"}
	if diff := cmp.Diff(phases, progress.phases()); diff != "" {
		t.Errorf("progress: -want +got\n%s", diff)
	}
	if out, err := exec.CommandContext(testContext(t), set.APIServer).CombinedOutput(); err != nil || string(out) != "kube-apiserver\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
	key := keyOf(thisPlatform)
	if diff := cmp.Diff([]string{key, key + ".build.log", key + ".lock"}, namesIn(t, opts.CacheDir)); diff != "" {
		t.Errorf("cache directory: -want +got\n%s", diff)
	}
}

func TestBuildFails(t *testing.T) {
	tests := map[string]struct {
		reason string
		change func(o *Options)
		check  func(err error) bool
	}{
		"NoGo": {
			reason: "the user has to install Go",
			change: func(o *Options) { o.GoCommand = "go-is-not-installed" },
			check:  func(err error) bool { return errors.Is(err, ErrNoGo) },
		},
		"Compile": {
			reason: "the compiler's message is part of the error",
			change: func(o *Options) { o.module.files["cmd/etcd/main.go"] = []byte("package main\n\nfunc main() { bad }\n") },
			check:  func(err error) bool { return strings.Contains(err.Error(), "undefined: bad") },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			opts, _ := fakeOptions(t)
			tc.change(&opts)
			_, err := Find(testContext(t), opts)
			if err == nil || !tc.check(err) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			checkNothingHalf(t, opts.CacheDir)
		})
	}
}

// TestNoBuild has neither a network nor time.
func TestNoBuild(t *testing.T) {
	t.Run("NoDownload", func(t *testing.T) {
		opts, progress := fakeOptions(t)
		opts.NoBuild = true
		_, err := Find(testContext(t), opts)
		if _, ok := errors.AsType[*UnavailableError](err); !ok {
			t.Errorf("got %v", err)
		}
		if diff := cmp.Diff([]string(nil), progress.phases()); diff != "" {
			t.Errorf("progress: -want +got\n%s", diff)
		}
		checkNothingHalf(t, opts.CacheDir)
	})
	t.Run("AnotherProcessGetsThem", func(t *testing.T) {
		opts, _ := fakeOptions(t)
		complete, err := opts.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		unlock, err := newCache(complete).lock(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		defer unlock()
		opts.NoBuild = true
		if _, err := Find(testContext(t), opts); !strings.Contains(fmt.Sprint(err), "another process is getting them") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("Cached", func(t *testing.T) {
		opts, _ := fakeOptions(t)
		built, err := Find(testContext(t), opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.NoBuild = true
		found, err := Find(testContext(t), opts)
		if diff := cmp.Diff(built, found); err != nil || diff != "" {
			t.Errorf("got %v; -built +found\n%s", err, diff)
		}
	})
}

func TestBuildIsCancelled(t *testing.T) {
	opts, progress := fakeOptions(t)
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	opts.GoCommand = filepath.Join(dir, "go")
	// A go command with a compiler process that does not end either.
	writeFile(t, opts.GoCommand, "#!/bin/sh\nsleep 1000 &\necho $$ $! >"+pids+".tmp && mv "+pids+".tmp "+pids+"\nwait\n", 0o700)
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Find(ctx, opts)
		done <- err
	}()
	for u := range progress.notify {
		if _, err := os.Stat(pids); err == nil && u.Phase == Building {
			break
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	checkNothingHalf(t, opts.CacheDir)
	data, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for pid := range strings.FieldsSeq(string(data)) {
		out, err := exec.CommandContext(testContext(t), "ps", "-o", "stat=", "-p", pid).Output()
		if err == nil && !strings.HasPrefix(string(out), "Z") {
			t.Errorf("process %s still runs: %s", pid, out)
		}
	}
}

// checkNothingHalf fails if a cache has more than a lock and a log.
func checkNothingHalf(t *testing.T, dir string) {
	t.Helper()
	for _, name := range namesIn(t, dir) {
		if !strings.HasSuffix(name, ".lock") && !strings.HasSuffix(name, ".build.log") {
			t.Errorf("%s is left in the cache", name)
		}
	}
}
