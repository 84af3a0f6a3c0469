package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver/store"
)

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	var before []store.Bucket
	var credentials store.Credentials
	t.Run("First", func(t *testing.T) {
		s, c := fixture(t, store.Options{Dir: dir})
		credentials = s.account(t, "app", readWrite("photos"))
		put(t, c, "k", "content")
		before, _ = s.Buckets(t.Context())
	})
	s := serve(t, store.Options{Dir: dir})
	after, err := s.Buckets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("buckets: -before, +after:\n%s", diff)
	}
	if again := s.account(t, "app", readWrite("photos")); again != credentials {
		t.Error("the credentials have changed")
	}
	if got := get(t, s.client(t, credentials), "k"); got != "content" {
		t.Errorf("the object is %q", got)
	}
	for _, file := range []string{"vault.db"} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", file, info.Mode(), err)
		}
	}
	if _, err := store.New(store.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("New() on a directory in use = %v", err)
	}
}

const childDir = "STORE_TEST_CHILD_DIR"

// TestKill kills a process that has a store open, and looks for what it was told
// of.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$") //nolint:gosec // this very program
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err := errors.Join(err, child.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	var credentials store.Credentials
	if err := json.Unmarshal(line, &credentials); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	s := serve(t, store.Options{Dir: dir})
	if got := get(t, s.client(t, credentials), "k"); got != "content" {
		t.Errorf("the object is %q", got)
	}
}

// TestChild is the process that TestKill kills.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("only of use to TestKill")
	}
	s, c := fixture(t, store.Options{Dir: dir})
	put(t, c, "k", "content")
	line, err := json.Marshal(s.account(t, "app", readWrite("photos")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	<-t.Context().Done() // the parent ends the process
}

func TestServeEndsWithContext(t *testing.T) {
	s := memory(t, store.Options{})
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve() = %v", err)
	}
}
