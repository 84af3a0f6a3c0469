package binaries

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBuildEstimate compiles a package each second, in the format of the go command.
func TestBuildEstimate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		watch := newBuildWatch(func(Update) {}, Update{Phase: Building, Item: "kube-apiserver"})
		defer watch.stop()
		if _, err := fmt.Fprint(watch, "go: downloading k8s.io/api v0.36.3\n"); err != nil {
			t.Fatal(err)
		}
		check := func(want Update) {
			t.Helper()
			want.Phase, want.Item = Building, "kube-apiserver"
			if diff := cmp.Diff(want, watch.current()); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
		}
		check(Update{Message: "1 modules downloaded"})

		watch.expect(50)
		compile := func(from, to int) {
			for i := range to - from {
				_, _ = fmt.Fprintf(watch, "k8s.io/api/v%d\n", from+i) // a buffer never fails
				time.Sleep(time.Second)                               //nolint:forbidigo // the bubble's time
			}
		}
		compile(0, 10)
		check(Update{Message: "10 of at most 50 packages compiled", Done: 10, Parts: 50, Elapsed: 10 * time.Second}) // too early for an estimate
		compile(10, 40)
		check(Update{Message: "40 of at most 50 packages compiled", Done: 40, Parts: 50, Elapsed: 40 * time.Second, Left: 10 * time.Second})
		compile(40, 51)
		check(Update{Message: "51 packages compiled", Elapsed: 51 * time.Second}) // more than the go command listed
	})
}
