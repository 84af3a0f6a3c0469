package ui

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestOneTimeLink: a link leads to the page once, and only for a minute.
func TestOneTimeLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &links{}
		g := &guard{hosts: []string{"127.0.0.1:1"}, token: "secret", links: l, next: http.NotFoundHandler()}
		get := func(token, site string) (int, string) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1/once/"+token, nil)
			r.Header.Set("Sec-Fetch-Site", site)
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			return w.Code, w.Header().Get("Location")
		}
		first := l.issue()
		if code, _ := get(first, "cross-site"); code != http.StatusForbidden {
			t.Errorf("from another page: status %d, want it rejected", code)
		}
		if code, to := get(first, "none"); code != http.StatusSeeOther || to != "/secret/" {
			t.Errorf("first use: status %d to %q, want a redirection to the page", code, to)
		}
		for name, token := range map[string]string{"second use": first, "unknown": "ABC", "empty": ""} {
			if code, to := get(token, "none"); code != http.StatusForbidden || to != "" {
				t.Errorf("%s: status %d to %q, want it rejected", name, code, to)
			}
		}
		late := l.issue()
		time.Sleep(onceLifetime + time.Second) //nolint:forbidigo // the clock of a bubble
		if code, _ := get(late, "none"); code != http.StatusForbidden {
			t.Errorf("after its lifetime: status %d, want it rejected", code)
		}
	})
}
