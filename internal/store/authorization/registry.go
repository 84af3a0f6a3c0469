package authorization

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Registry has the current buckets, accounts and sessions. Package administration changes buckets
// and accounts, one at a time, after they have been recorded. Its methods are safe for concurrent
// use.
type Registry struct {
	mu       sync.RWMutex
	buckets  map[string]fakedriver.Bucket
	accounts map[string]*Principal // by account ID
	keys     map[string]*Principal // by access key ID
	sessions map[string]*Session   // by access key ID
	sequence uint64                // of the newest session
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{
		buckets: map[string]fakedriver.Bucket{}, accounts: map[string]*Principal{}, keys: map[string]*Principal{},
		sessions: map[string]*Session{},
	}
}

// Principal returns an account by its ID, or nil.
func (r *Registry) Principal(accountID string) *Principal {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.accounts[accountID]
}

// Bucket returns a bucket by its name.
func (r *Registry) Bucket(name string) (fakedriver.Bucket, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b, ok := r.buckets[name]
	return b.Clone(), ok
}

// grant returns the account's access to a bucket by a protocol; none if the bucket is a later one
// of the name, or has another protocol. exists reports whether a bucket of that name exists.
func (r *Registry) grant(protocol fakedriver.Protocol, p *Principal, bucket string) (grant fakedriver.Grant, granted, exists bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b, exists := r.buckets[bucket]
	if exists && b.Protocol != protocol {
		return fakedriver.Grant{}, false, exists
	}
	if p.Account.Admin {
		return fakedriver.Grant{
			Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
		}, true, exists
	}
	uid, reached := p.Reach[bucket]
	i := slices.IndexFunc(p.Account.Grants, func(g fakedriver.Grant) bool { return g.Bucket == bucket })
	if !reached || i < 0 || (exists && b.UID != uid) {
		return fakedriver.Grant{}, false, exists
	}
	return p.Account.Grants[i], true, exists
}

// SetBucket adds a bucket, or replaces the one of that name.
func (r *Registry) SetBucket(b fakedriver.Bucket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buckets[b.Name] = b
}

// RemoveBucket removes a bucket.
func (r *Registry) RemoveBucket(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.buckets, name)
}

// SetAccount adds an account, or replaces the one with that ID.
func (r *Registry) SetAccount(p *Principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accounts[p.Account.ID] = p
	if p.Account.AccessKeyID != "" { // without a key for a ServiceAccount
		r.keys[p.Account.AccessKeyID] = p
	}
}

// ReplaceAccount replaces an account by one with another key; the old key becomes unknown.
func (r *Registry) ReplaceAccount(old, rotated *Principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.keys, old.Account.AccessKeyID)
	r.accounts[rotated.Account.ID] = rotated
	r.keys[rotated.Account.AccessKeyID] = rotated
}

// CountAccounts returns the number of accounts of a kind.
func (r *Registry) CountAccounts(kind func(*Principal) bool) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	count := 0
	for p := range maps.Values(r.accounts) {
		if kind(p) {
			count++
		}
	}
	return count
}

// SetReach replaces the buckets of an account's grants.
func (r *Registry) SetReach(p *Principal, reach map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.Reach = reach
}

// RemoveAccount removes an account, and ends its sessions.
func (r *Registry) RemoveAccount(p *Principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.accounts, p.Account.ID)
	delete(r.keys, p.Account.AccessKeyID)
	r.endSessions(p.Account.ID)
}

// Buckets returns all buckets, sorted by name.
func (r *Registry) Buckets() []fakedriver.Bucket {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]fakedriver.Bucket, 0, len(r.buckets))
	for b := range maps.Values(r.buckets) {
		all = append(all, b.Clone())
	}
	slices.SortFunc(all, func(a, b fakedriver.Bucket) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Accounts returns all accounts, sorted by ID.
func (r *Registry) Accounts() []fakedriver.Account {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]fakedriver.Account, 0, len(r.accounts))
	for p := range maps.Values(r.accounts) {
		all = append(all, p.Account.Clone())
	}
	slices.SortFunc(all, func(a, b fakedriver.Account) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
