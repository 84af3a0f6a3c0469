package ui

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// onceLifetime is how long a one-time link is valid.
const onceLifetime = time.Minute

// oncePath is the path of one-time links, which other users of this machine may read in the list of processes.
const oncePath = "once"

// links are the one-time links that lead to the page.
type links struct {
	mu     sync.Mutex
	issued map[string]time.Time // when they end
}

// issue returns the token of a new link.
func (l *links) issue() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for token, ends := range l.issued {
		if now.After(ends) {
			delete(l.issued, token)
		}
	}
	if l.issued == nil {
		l.issued = map[string]time.Time{}
	}
	token := rand.Text()
	l.issued[token] = now.Add(onceLifetime)
	return token
}

// redeem reports whether a link is valid, and ends it.
func (l *links) redeem(token string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	ends, ok := l.issued[token]
	delete(l.issued, token)
	return ok && !time.Now().After(ends)
}

// issueLink answers with a one-time link, for 'cosi-emu ui --open'.
func (p *Page) issueLink(r *http.Request) (any, error) {
	return struct {
		URL string `json:"url"`
	}{"http://" + r.Host + "/" + oncePath + "/" + p.links.issue()}, nil
}
