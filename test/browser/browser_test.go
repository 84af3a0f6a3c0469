package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/test/browser"
)

// TestComplaints verifies that a test of a page notices its errors.
func TestComplaints(t *testing.T) {
	b := browser.Start(t)
	b.Open("data:text/html,<meta http-equiv=Content-Security-Policy content=\"default-src 'unsafe-inline'\"><p>here</p>")
	b.AwaitText("p", "here")
	for name, tc := range map[string]struct{ script, want string }{
		"Exception": {"setTimeout(() => { throw new Error('torn') }), 0", "torn"},
		"Blocked":   {"document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'})), 0", "Content Security Policy"},
	} {
		t.Run(name, func(t *testing.T) {
			b.For(t).Eval(tc.script)
			var said []string
			for deadline := time.Now().Add(time.Minute); len(said) == 0 && time.Now().Before(deadline); said = b.Complaints() {
				b.For(t).Eval("new Promise(later => setTimeout(later, 10))")
			}
			if text := strings.Join(said, "\n"); !strings.Contains(text, tc.want) {
				t.Errorf("%q, want one with %q", text, tc.want)
			}
		})
	}
}
