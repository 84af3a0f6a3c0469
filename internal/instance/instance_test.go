package instance_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

func noOrphans(string) error { return nil }

func acquire(t *testing.T, name string) *instance.Instance {
	t.Helper()
	i, err := instance.Acquire(name, noOrphans)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Release(); err != nil {
			t.Error(err)
		}
	})
	return i
}

func useStateHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	return filepath.Join(home, "cosi-emu")
}

func TestAcquire(t *testing.T) {
	root := useStateHome(t)
	first := acquire(t, "one")
	if _, err := instance.Acquire("one", noOrphans); !errors.Is(err, instance.ErrRunning) {
		t.Errorf("second Acquire of one name: %v, want ErrRunning", err)
	}
	acquire(t, "two")

	mode, err := os.Stat(first.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if got := mode.Mode().Perm(); got != 0o700 {
		t.Errorf("mode of the directory is %o, want 700", got)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if err := first.Release(); err != nil {
		t.Errorf("second Release: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "one*")); len(left) > 0 {
		t.Errorf("Release left %v", left)
	}
	acquire(t, "one")
}

func TestAcquireOneOfMany(t *testing.T) {
	useStateHome(t)
	var mu sync.Mutex
	var winners []*instance.Instance
	var contenders sync.WaitGroup
	for range 8 {
		contenders.Go(func() {
			i, err := instance.Acquire("one", noOrphans)
			if err == nil {
				mu.Lock()
				winners = append(winners, i)
				mu.Unlock()
			} else if !errors.Is(err, instance.ErrRunning) {
				t.Error(err)
			}
		})
	}
	contenders.Wait()
	if len(winners) != 1 {
		t.Fatalf("%d processes hold the name, want 1", len(winners))
	}
	if err := winners[0].Release(); err != nil {
		t.Error(err)
	}
}

func TestAcquireAfterKill(t *testing.T) {
	root := useStateHome(t)
	// A killed emulator leaves its directory and a lock that no process holds.
	stale := filepath.Join(root, "one", "etcd")
	if err := os.MkdirAll(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "one.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.Get("one"); !errors.Is(err, instance.ErrNotRunning) {
		t.Errorf("Get of a dead emulator: %v, want ErrNotRunning", err)
	}
	var cleaned []string
	i, err := instance.Acquire("one", func(dir string) error {
		cleaned = append(cleaned, dir)
		_, err := os.Stat(stale)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Release() //nolint:errcheck // the state directory is temporary
	if diff := cmp.Diff([]string{filepath.Join(root, "one")}, cleaned); diff != "" {
		t.Errorf("clean must see the old directory, once; -want, +got:\n%s", diff)
	}
	if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old files are still there: %v", err)
	}
}

func TestInfo(t *testing.T) {
	useStateHome(t)
	if _, err := instance.Get("one"); !errors.Is(err, instance.ErrNotRunning) {
		t.Errorf("Get of nothing: %v, want ErrNotRunning", err)
	}
	i := acquire(t, "one")
	got, err := instance.Get("one")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(instance.Info{Name: "one", Info: description.Info{Dir: i.Dir()}}, got); diff != "" {
		t.Errorf("before Publish: -want, +got:\n%s", diff)
	}
	want := instance.Info{
		Name: "one", PID: 42, Ready: true, Info: description.Info{
			Dir: i.Dir(), S3Endpoint: "http://127.0.0.1:1",
			Components: []description.ComponentInfo{{Name: "etcd", State: description.StateRunning, PID: 43, Log: "etcd.log"}},
		},
	}
	if err := i.Publish(want); err != nil {
		t.Fatal(err)
	}
	got, err = instance.Get("one")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after Publish: -want, +got:\n%s", diff)
	}
	acquire(t, "another")
	list, err := instance.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
	}
	if diff := cmp.Diff([]string{"another", "one"}, names); diff != "" {
		t.Errorf("List(): -want, +got:\n%s", diff)
	}
}

func TestValidateName(t *testing.T) {
	for name, ok := range map[string]bool{
		"default": true, "a-1": true,
		"": false, "A": false, "..": false, "a/b": false, "a.b": false, "-a": false,
	} {
		if err := instance.ValidateName(name); (err == nil) != ok {
			t.Errorf("ValidateName(%q) = %v", name, err)
		}
	}
}

func TestDataDir(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	first, err := instance.LockDataDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := instance.LockDataDir(path); !errors.Is(err, instance.ErrInUse) {
		t.Errorf("second LockDataDir: %v, want ErrInUse", err)
	}
	kept := filepath.Join(first.Path(), "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("Release must keep what is in the directory: %v", err)
	}
	again, err := instance.LockDataDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

func TestWaitStopped(t *testing.T) {
	useStateHome(t)
	i := acquire(t, "one")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := instance.WaitStopped(ctx, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitStopped of a running emulator: %v, want the error of the context", err)
	}
	done := make(chan error)
	go func() { done <- instance.WaitStopped(context.Background(), "one") }()
	if err := i.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
