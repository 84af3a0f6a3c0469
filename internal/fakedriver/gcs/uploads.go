package gcs

import (
	"crypto/rand"
	"sync"
	"time"
)

// uploads are the unfinished resumable uploads. Each belongs to the key that created
// it, and to a bucket.
type uploads struct {
	timeout time.Duration
	now     func() time.Time

	mu  sync.Mutex
	all map[string]*upload // by ID
}

// upload is one of them. The service's lock guards it: only operations that change
// something use it.
type upload struct {
	incoming

	key     string // the ID of the access key
	touched time.Time
	content []byte
}

func newUploads(timeout time.Duration, now func() time.Time) uploads {
	return uploads{timeout: timeout, now: now, all: map[string]*upload{}}
}

// begin adds an upload, unless the key has too many.
func (u *uploads) begin(started *upload) (id string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	count := 0
	for id, other := range u.all {
		switch {
		case u.now().Sub(other.touched) > u.timeout:
			delete(u.all, id)
		case other.key == started.key:
			count++
		}
	}
	if count >= maxUploads {
		return "", errTooMany
	}
	id = rand.Text()
	started.touched = u.now()
	u.all[id] = started
	return id, nil
}

// find returns an upload of a key to a bucket. Uploads of other keys and buckets are
// not found.
func (u *uploads) find(id, key, bucket string) (*upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	found, ok := u.all[id]
	if !ok || found.key != key || found.bucket != bucket || u.now().Sub(found.touched) > u.timeout {
		return nil, errNotFound.with("There is no such upload: it has ended, or has expired")
	}
	found.touched = u.now()
	return found, nil
}

func (u *uploads) end(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, id)
}

// drop deletes the uploads to a bucket.
func (u *uploads) drop(bucket string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, other := range u.all {
		if other.bucket == bucket {
			delete(u.all, id)
		}
	}
}
