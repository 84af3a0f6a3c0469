package progress

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCountPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		c := NewCount(&out)
		for done := range 41 {
			c.Show(fmt.Sprintf("checks: %d/40", done), done, 40)
			time.Sleep(time.Second) //nolint:forbidigo // the clock is the bubble's
		}
		c.Print("a failure\n")
		closeTwice(t, c)
		if diff := cmp.Diff("checks: 0/40\nchecks: 15/40\nchecks: 30/40\nchecks: 40/40\na failure\n", out.String()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}

func TestCountTerminal(t *testing.T) {
	var out strings.Builder
	c := NewCount(&out)
	c.width = func() int { return 80 }
	c.Show("checks: 10/40", 10, 40)
	c.Print("a failure\n")
	c.Show("checks: 11/40", 20, 40)
	if diff := cmp.Diff([]string{"a failure", "[############............] checks: 11/40"}, screen(out.String())); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
