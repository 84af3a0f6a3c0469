package store

import (
	"crypto/subtle"
	"time"
)

const (
	// maxSessions is how many sessions an account may have at a time. The oldest
	// ends when there is one more: refusing the new one would lock out an
	// application that is restarted again and again.
	maxSessions = 100
	// sessionMemory is how long an ended session is remembered, to be called
	// expired and not unknown.
	sessionMemory = time.Hour
)

// session is a temporary key of an account. Sessions live in memory only: they
// end with the store, and clients begin others.
type session struct {
	account     string // its ID
	accessKeyID string
	secret      string
	token       string
	number      uint64 // counts up, in the order in which sessions begin
	expires     time.Time
}

func (s *session) hasToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(s.token), []byte(token)) == 1
}

// begin adds a session, unless its account does not exist, or is not one that
// sessions are for, and forgets old ones.
func (r *registry) begin(added *session, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.accounts[added.account]; !ok || p.account.ServiceAccount == "" {
		return false
	}
	r.forgetSessions(added.account, now)
	r.begun++
	added.number = r.begun
	r.sessions[added.accessKeyID] = added
	return true
}

// forgetSessions makes room for one more session of an account.
func (r *registry) forgetSessions(account string, now time.Time) {
	var oldest *session
	count := 0
	for key, s := range r.sessions {
		switch {
		case now.Sub(s.expires) > sessionMemory:
			delete(r.sessions, key)
		case s.account == account:
			count++
			if oldest == nil || s.number < oldest.number {
				oldest = s
			}
		}
	}
	if count >= maxSessions {
		delete(r.sessions, oldest.accessKeyID)
	}
}

// endSessions ends the sessions of an account that is removed.
func (r *registry) endSessions(account string) {
	for key, s := range r.sessions {
		if s.account == account {
			delete(r.sessions, key)
		}
	}
}
