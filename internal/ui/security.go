package ui

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// guard lets only the page itself use the server. A page of another origin that guesses the port
// has neither the token nor, in its headers, our origin; a name that resolves to loopback is not
// among the hosts.
type guard struct {
	hosts  []string
	token  string
	policy string
	links  *links
	next   http.Handler
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", g.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case !g.isHost(r.Host):
		http.Error(w, "the page is served on 127.0.0.1 only; use the URL that 'cosi-emu status' prints", http.StatusMisdirectedRequest)
	case !g.isOrigin(r):
		http.Error(w, "requests of other pages are rejected", http.StatusForbidden)
	case token == oncePath && r.Method == http.MethodGet && g.links.redeem(rest):
		http.Redirect(w, r, "/"+g.token+"/", http.StatusSeeOther)
	case subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) != 1:
		http.Error(w, "the token is missing or wrong; use the URL that 'cosi-emu status' prints", http.StatusForbidden)
	default:
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = "/"+rest, ""
		g.next.ServeHTTP(w, inner)
	}
}

func (g *guard) isHost(host string) bool { return slices.Contains(g.hosts, host) }

// isOrigin reports whether a request comes from the page, from the address bar, or from a program
// that is no browser. A browser sends an Origin with all requests that change something.
func (g *guard) isOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	host, ok := strings.CutPrefix(origin, "http://")
	return ok && host == r.Host && g.isHost(host)
}
