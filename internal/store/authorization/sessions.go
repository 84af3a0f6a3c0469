package authorization

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

const (
	// maxSessions is the maximum number of sessions of an account. One more ends the oldest:
	// rejecting the new one would lock out an application that restarts repeatedly.
	maxSessions = 100
	// sessionMemory is the time for which an ended session is remembered, so that its key is
	// reported as expired and not as unknown.
	sessionMemory    = time.Hour
	sessionKeyPrefix = "ASIA" // Amazon's, for temporary keys
)

// Session is a temporary key of an account. Sessions are in memory only: they end with the store,
// and clients begin others.
type Session struct {
	// Account is the ID of the account.
	Account     string
	AccessKeyID string
	Secret      string
	Token       string
	Expires     time.Time

	number uint64     // increases in the order in which sessions begin
	keys   sigv4.Keys // of Secret
}

// HasToken compares the session's token, in constant time.
func (s *Session) HasToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(s.Token), []byte(token)) == 1
}

// BeginSession adds a session of an account for a ServiceAccount, and removes old ones. The error
// is of kind ErrDenied for an unknown account.
func (r *Registry) BeginSession(account string, now time.Time, duration time.Duration, random io.Reader) (*Session, error) {
	secret, err := NewSecret(random)
	if err != nil {
		return nil, err
	}
	added := &Session{
		Account: account, AccessKeyID: sessionKeyPrefix + rand.Text()[:accessKeyLength-len(sessionKeyPrefix)],
		Secret: secret, Token: rand.Text() + rand.Text(), Expires: now.Add(duration),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.accounts[account]; !ok || p.Account.ServiceAccount == "" {
		return nil, fmt.Errorf("session of account %q %w", account, ErrDenied)
	}
	r.dropSessions(account, now)
	r.sequence++
	added.number = r.sequence
	r.sessions[added.AccessKeyID] = added
	return added, nil
}

func (r *Registry) dropSessions(account string, now time.Time) {
	var oldest *Session
	count := 0
	for key, s := range r.sessions {
		switch {
		case now.Sub(s.Expires) > sessionMemory:
			delete(r.sessions, key)
		case s.Account == account:
			count++
			if oldest == nil || s.number < oldest.number {
				oldest = s
			}
		}
	}
	if count >= maxSessions {
		delete(r.sessions, oldest.AccessKeyID)
	}
}

func (r *Registry) endSessions(account string) {
	for key, s := range r.sessions {
		if s.Account == account {
			delete(r.sessions, key)
		}
	}
}
