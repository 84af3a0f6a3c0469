package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type file struct {
	*os.File
	t *testing.T
}

func newFile(t *testing.T, text string) *file {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	log := &file{File: f, t: t}
	log.write(text)
	return log
}

func (f *file) write(text string) {
	f.t.Helper()
	if _, err := f.WriteString(text); err != nil {
		f.t.Fatal(err)
	}
}

func (f *file) remove() {
	f.t.Helper()
	if err := os.Remove(f.Name()); err != nil {
		f.t.Fatal(err)
	}
}

// testContext limits a test that follows a file.
func testContext(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx, cancel
}

func TestLogLines(t *testing.T) {
	long := strings.Repeat("long ", 20_000)
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"Empty":    {"", nil},
		"Whole":    {"one\ntwo\n", []string{"one", "two"}},
		"Partial":  {"one\ntw", []string{"one", "tw"}},
		"Blank":    {"\n\n", []string{"", ""}},
		"Long":     {long + "\nshort\n", []string{long, "short"}},
		"Carriage": {"one\r\n", []string{"one\r"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for line, err := range logLines(t.Context(), newFile(t, tc.text).Name(), false) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestLogLinesOfNothing(t *testing.T) {
	var errs []error
	for _, err := range logLines(t.Context(), filepath.Join(t.TempDir(), "log"), true) {
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], fs.ErrNotExist) {
		t.Errorf("errors %v, want one fs.ErrNotExist", errs)
	}
}

// TestFollow writes a line in two parts, and removes the file.
func TestFollow(t *testing.T) {
	ctx, _ := testContext(t)
	log := newFile(t, "one\ntw")
	written := make(chan struct{})
	var got []string
	for line, err := range logLines(ctx, log.Name(), true) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
		switch line {
		case "one":
			go func() {
				defer close(written)
				log.write("o\nthree\nfo")
			}()
		case "three":
			<-written
			log.remove()
		}
	}
	if ctx.Err() != nil {
		t.Error("it did not end when the file was removed")
	}
	if diff := cmp.Diff([]string{"one", "two", "three", "fo"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestFollowEnds(t *testing.T) {
	t.Run("Context", func(t *testing.T) {
		ctx, cancel := testContext(t)
		log := newFile(t, "one\n")
		for _, err := range logLines(ctx, log.Name(), true) {
			if err != nil {
				t.Error(err)
			}
			cancel()
		}
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("it ended with %v", ctx.Err())
		}
	})
	t.Run("Break", func(t *testing.T) {
		ctx, _ := testContext(t)
		for line, err := range logLines(ctx, newFile(t, "one\ntwo\n").Name(), true) {
			if line != "one" || err != nil {
				t.Errorf("the first line is %q, %v", line, err)
			}
			break
		}
	})
}
