package store

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// registry is what the store knows of buckets and accounts, in memory, for
// lookups on every request. Changes are made by the administrative methods, one
// at a time, after they have been written to the ledger.
type registry struct {
	mu       sync.RWMutex
	buckets  map[string]fakedriver.Bucket
	accounts map[string]*principal // by account ID
	keys     map[string]*principal // by access key ID
	sessions map[string]*session   // by access key ID
	begun    uint64                // sessions so far
}

// principal is an account as requests see it.
type principal struct {
	account fakedriver.Account
	secret  string
	// reach maps the buckets of the grants to the UIDs that they had when they
	// were granted; guarded by the registry's lock.
	reach map[string]string

	// writes is the account's gate, at which requests and revocation meet; see
	// [Store.enter].
	writes sync.RWMutex
}

func newRegistry() *registry {
	return &registry{
		buckets: map[string]fakedriver.Bucket{}, accounts: map[string]*principal{}, keys: map[string]*principal{},
		sessions: map[string]*session{},
	}
}

func (r *registry) byID(accountID string) *principal {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.accounts[accountID]
}

func (r *registry) bucket(name string) (fakedriver.Bucket, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b, ok := r.buckets[name]
	return b.Clone(), ok
}

// grantBy returns the account's access to a bucket by a protocol; none if the
// bucket is another one than that which was granted, or of another protocol. exists is whether the bucket is there at all.
func (r *registry) grantBy(protocol fakedriver.Protocol, p *principal, bucket string) (grant fakedriver.Grant, granted, exists bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b, exists := r.buckets[bucket]
	if exists && b.Protocol != protocol {
		return fakedriver.Grant{}, false, exists
	}
	if p.account.Admin {
		return fakedriver.Grant{Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite}, true, exists
	}
	uid, reached := p.reach[bucket]
	i := slices.IndexFunc(p.account.Grants, func(g fakedriver.Grant) bool { return g.Bucket == bucket })
	if !reached || i < 0 || (exists && b.UID != uid) {
		return fakedriver.Grant{}, false, exists
	}
	return p.account.Grants[i], true, exists
}

func (r *registry) setBucket(b fakedriver.Bucket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buckets[b.Name] = b
}

func (r *registry) removeBucket(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.buckets, name)
}

func (r *registry) setAccount(p *principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accounts[p.account.ID] = p
	if p.account.AccessKeyID != "" { // that of a ServiceAccount has none
		r.keys[p.account.AccessKeyID] = p
	}
}

// replaceAccount makes an account known by another key, and no longer by its old
// one.
func (r *registry) replaceAccount(old, rotated *principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.keys, old.account.AccessKeyID)
	r.accounts[rotated.account.ID] = rotated
	r.keys[rotated.account.AccessKeyID] = rotated
}

// countAccounts returns how many accounts are of a kind.
func (r *registry) countAccounts(kind func(*principal) bool) int {
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

func (r *registry) setReach(p *principal, reach map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.reach = reach
}

func (r *registry) removeAccount(p *principal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.accounts, p.account.ID)
	delete(r.keys, p.account.AccessKeyID)
	r.endSessions(p.account.ID)
}

func (r *registry) allBuckets() []fakedriver.Bucket {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]fakedriver.Bucket, 0, len(r.buckets))
	for b := range maps.Values(r.buckets) {
		all = append(all, b.Clone())
	}
	slices.SortFunc(all, func(a, b fakedriver.Bucket) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (r *registry) allAccounts() []fakedriver.Account {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]fakedriver.Account, 0, len(r.accounts))
	for p := range maps.Values(r.accounts) {
		all = append(all, p.account.Clone())
	}
	slices.SortFunc(all, func(a, b fakedriver.Account) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// grant returns what an account may do with a bucket by S3; nothing with one of
// another protocol.
func (r *registry) grant(p *principal, bucket string) (grant fakedriver.Grant, granted, exists bool) {
	return r.grantBy(fakedriver.ProtocolS3, p, bucket)
}
