package loader_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// patience bounds every wait of a test.
const patience = 30 * time.Second

func TestWatch(t *testing.T) {
	write(t, map[string]string{
		"d/a.yaml": scenario("a", "x"), "d/b.yaml": scenario("b", "x", "- use: ../steps/s.yaml"), "steps/s.yaml": stepList,
		"d/c.yaml": scenario("c", "x", "- golden: {file: c.golden, objects: Secret/a}"),
	})
	set, err := loader.Load([]string{"d"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := loader.NewWatch([]string{"d"}, set)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, tc := range []struct {
		reason string
		change func()
		want   []string
		wrong  bool
	}{
		{"A file.", func() { rewrite(t, "d/a.yaml", scenario("a", "y")) }, []string{"a"}, false},
		{"Nothing but the time.", func() { rewrite(t, "d/a.yaml", scenario("a", "y")) }, nil, false},
		{"One that is used, elsewhere.", func() { rewrite(t, "steps/s.yaml", stepList+"\n# more\n") }, []string{"b"}, false},
		{"One that is compared with, and was not there.", func() { rewrite(t, "d/c.golden", "x") }, []string{"c"}, false},
		{"A new one.", func() { rewrite(t, "d/n.yaml", scenario("n", "x")) }, []string{"n"}, false},
		{"A mistake.", func() { rewrite(t, "d/a.yaml", scenario("a", "y", "- sattle:")) }, nil, true},
		{"No mistake any more.", func() { rewrite(t, "d/a.yaml", scenario("a", "z")) }, []string{"a"}, false},
		{"One that is gone.", func() {
			if err := os.Remove("d/n.yaml"); err != nil {
				t.Error(err)
			}
		}, nil, false},
		{"In a new directory.", func() {
			rewrite(t, "d/e/later.txt", "x")
			rewrite(t, "d/e/f.yaml", scenario("f", "x"))
		}, []string{"f"}, false},
	} {
		tc.change()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		changed, err := w.Changed(ctx)
		cancel()
		if diff := cmp.Diff(tc.want, names(changed)); diff != "" || len(document.Problems(err)) > 0 != tc.wrong {
			t.Errorf("%s %v, -want, +got:\n%s", tc.reason, err, diff)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Changed(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("an end of waiting: %v", err)
	}
}
