package binaries

import (
	"debug/elf"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestCacheIsCheckedBeforeUse(t *testing.T) {
	tests := map[string]struct {
		reason  string
		corrupt func(t *testing.T, set Set)
		builds  bool
	}{
		"Good": {reason: "what is good is used", corrupt: func(*testing.T, Set) {}},
		"Touched": {
			reason: "a copied or restored file is good if its content is",
			corrupt: func(t *testing.T, set Set) {
				t.Helper()
				if err := os.Chtimes(set.Etcd, time.Time{}, time.Unix(1, 0)); err != nil {
					t.Fatal(err)
				}
			},
		},
		"Half": {
			reason: "a half-written program is replaced",
			corrupt: func(t *testing.T, set Set) {
				t.Helper()
				if err := os.Truncate(set.APIServer, 100_000); err != nil {
					t.Fatal(err)
				}
			},
			builds: true,
		},
		"OtherProcessor": {
			reason: "a program for another processor is replaced",
			corrupt: func(t *testing.T, set Set) {
				t.Helper()
				overwrite(t, set.Etcd, 18, byte(elf.EM_S390))
			},
			builds: true,
		},
		"Altered": {
			reason: "a file that differs in one byte is replaced",
			corrupt: func(t *testing.T, set Set) {
				t.Helper()
				overwrite(t, set.ControllerManager, 100_000, 0xff)
			},
			builds: true,
		},
		"Gone": {
			reason: "a missing program is replaced",
			corrupt: func(t *testing.T, set Set) {
				t.Helper()
				if err := os.Remove(set.Etcd); err != nil {
					t.Fatal(err)
				}
			},
			builds: true,
		},
		"Manifest": {
			reason: "without a readable manifest nothing can be checked",
			corrupt: func(t *testing.T, set Set) {
				t.Helper()
				writeFile(t, filepath.Join(filepath.Dir(set.Etcd), manifestName), "{", 0o644)
			},
			builds: true,
		},
	}
	built, _ := fakeOptions(t)
	if _, err := Find(testContext(t), built); err != nil {
		t.Fatal(err)
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			opts, progress := fakeOptions(t)
			if err := os.CopyFS(opts.CacheDir, os.DirFS(built.CacheDir)); err != nil {
				t.Fatal(err)
			}
			first, err := Find(testContext(t), opts)
			if err != nil {
				t.Fatal(err)
			}
			if len(progress.updates) > 0 {
				t.Fatalf("a copy of the cache is not used: %v", progress.updates)
			}
			tc.corrupt(t, first)
			progress.updates = nil
			if _, err := Find(testContext(t), opts); err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if built := len(progress.updates) > 0; built != tc.builds {
				t.Errorf("%s: built again: %v, want %v", tc.reason, built, tc.builds)
			}
			if err := CheckProgram(first.Etcd); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCacheForgetsInterruptedRuns(t *testing.T) {
	opts, _ := fakeOptions(t)
	stale := filepath.Join(opts.CacheDir, "."+keyOf(thisPlatform)+".123")
	if err := os.MkdirAll(filepath.Join(stale, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(testContext(t), opts); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("what an interrupted run left is still there: %v", err)
	}
}

func TestTwoAtOnceBuildOnce(t *testing.T) {
	opts, first := fakeOptions(t)
	second := &recorder{notify: make(chan Update, 100)}
	var finds sync.WaitGroup
	defer finds.Wait()
	find := func(opts Options) {
		if _, err := Find(testContext(t), opts); err != nil {
			t.Error(err)
		}
	}
	finds.Go(func() { find(opts) })
	for (<-first.notify).Phase != Building { // it holds the lock from before its first note
	}
	opts.Progress = second.add
	find(opts)
	finds.Wait()
	if got := second.phases(); len(got) != 1 || got[0] != "waiting "+keyOf(thisPlatform) {
		t.Errorf("the second process reports %v, want only that it waits", got)
	}
}

func overwrite(t *testing.T, path string, offset int64, value byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // checked by what follows
	if _, err := file.WriteAt([]byte{value}, offset); err != nil {
		t.Fatal(err)
	}
}
