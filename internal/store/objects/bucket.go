package objects

import (
	"encoding/base32"
	"maps"
	"sync"

	"k8s.io/utils/keymutex"
	"k8s.io/utils/third_party/forked/golang/btree"

	"github.com/cosi-emu/cosi-emu/internal/cors"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// Versioning is the state of a bucket's versioning, as in S3.
type Versioning string

// The states. A bucket begins without versioning and cannot return to that.
const (
	Unversioned Versioning = ""
	Enabled     Versioning = "Enabled"
	Suspended   Versioning = "Suspended"
)

// Quota is the maximum size of a bucket; zero means no limit. All versions count, and the parts of
// unfinished uploads.
type Quota struct {
	Bytes   int64 `json:"bytes,omitempty"`
	Objects int64 `json:"objects,omitempty"`
}

// Config has the settings of a bucket.
type Config struct {
	Versioning Versioning        `json:"versioning,omitempty"`
	Tags       map[string]string `json:"tags,omitempty"`
	Quota      Quota             `json:"quota,omitzero"`
	// ObjectLock requires versioning to be enabled.
	ObjectLock ObjectLock `json:"objectLock,omitzero"`
	// CORS are rules, which are replaced and not changed.
	CORS []cors.Rule `json:"cors,omitempty"`
	// Generations makes versions follow the rules of Google Cloud Storage: see generations.go.
	Generations bool `json:"generations,omitempty"`
}

const (
	treeDegree = 32
	// keyLocks is the number of keys of a bucket that can be written at the same time.
	keyLocks = 64
)

var idEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// Bucket is the content of one bucket. Its methods are safe for concurrent use.
//
// A change locks, in this order: gate (shared), the lock of its key, and mu while it reads or
// changes the index. It writes to the blob store without mu, so readers and writers of other keys
// are not blocked.
type Bucket struct {
	store *Store
	id    string

	// Changes of objects hold gate for reading. Changes of versioning, and the deletion of the
	// bucket, hold it for writing.
	gate    sync.RWMutex
	retired bool
	keys    keymutex.KeyMutex

	mu      sync.RWMutex
	config  Config
	tree    *btree.BTree[*Version] // the newest version of every key
	uploads map[string]*upload
	endings []*Ending // the oldest first
	used    Quota
}

func newBucket(s *Store, id string, config Config) *Bucket {
	config.Tags = maps.Clone(config.Tags)
	return &Bucket{
		store: s, id: id, config: config, keys: keymutex.NewHashed(keyLocks), uploads: map[string]*upload{},
		tree: btree.New(treeDegree, func(a, b *Version) bool { return a.Key < b.Key }),
	}
}

// Config returns the configuration.
func (b *Bucket) Config() Config {
	b.mu.RLock()
	defer b.mu.RUnlock()
	config := b.config
	config.Tags = maps.Clone(config.Tags)
	return config
}

// Used returns the used part of the quota.
func (b *Bucket) Used() Quota {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.used
}

// SetVersioning switches versioning on or off. The error is IllegalVersioningConfigurationException
// for other values than Enabled and Suspended, and InvalidBucketState for suspending it in a bucket
// with object lock.
func (b *Bucket) SetVersioning(state Versioning) error {
	if state != Enabled && state != Suspended {
		return s3error.ErrIllegalVersioningConfiguration
	}
	return b.configure(func(c *Config) error {
		if c.ObjectLock.Enabled && state != Enabled {
			return s3error.ErrInvalidBucketState.With("An Object Lock configuration is present on this bucket, " +
				"so the versioning state cannot be changed.")
		}
		c.Versioning = state
		return nil
	})
}

// SetTags replaces the bucket's tags; nil removes them.
func (b *Bucket) SetTags(tags map[string]string) error {
	return b.configure(func(c *Config) error {
		c.Tags = maps.Clone(tags)
		return nil
	})
}

// SetCORS replaces the rules for pages of other origins; nil removes them. The caller must not
// change them afterwards.
func (b *Bucket) SetCORS(rules []cors.Rule) error {
	return b.configure(func(c *Config) error {
		c.CORS = rules
		return nil
	})
}

// UseGenerations sets Config.Generations of a bucket that has no versions yet.
func (b *Bucket) UseGenerations() error {
	return b.configure(func(c *Config) error {
		c.Generations = true
		return nil
	})
}

// configure waits for running changes, which use the old configuration.
func (b *Bucket) configure(change func(*Config) error) error {
	b.gate.Lock()
	defer b.gate.Unlock()
	if b.retired {
		return s3error.ErrNoSuchBucket
	}
	config := b.Config()
	if err := change(&config); err != nil {
		return err
	}
	if err := b.store.commit(b.recordConfig(config)); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.config = config
	return nil
}

// retire deletes the bucket if it is empty or purge is set, including locked versions. Nothing else
// changes the bucket meanwhile, but requests may read it.
func (b *Bucket) retire(purge bool, with []blobstore.Change) error {
	b.gate.Lock()
	defer b.gate.Unlock()
	if b.retired {
		return s3error.ErrNoSuchBucket
	}
	if b.tree.Len() > 0 && !purge {
		return s3error.ErrBucketNotEmpty
	}
	steps := []step{b.forgetConfig()}
	var contents []Body
	for v := range b.versions {
		steps, contents = append(steps, b.deletionOfVersion(v)), append(contents, v.Body)
	}
	for _, u := range b.uploads {
		steps = append(steps, b.deletionOfUpload(u)...)
		for _, part := range u.sorted() {
			contents = append(contents, part.Body)
		}
	}
	for _, e := range b.endings {
		steps = append(steps, step{table: uploadTable, key: b.id + "/" + e.ID})
	}
	if err := b.store.commitWith(with, steps...); err != nil {
		return err
	}
	b.retired = true
	b.clear(contents)
	return nil
}

func (b *Bucket) versions(yield func(*Version) bool) {
	b.tree.Ascend(func(v *Version) bool {
		for ; v != nil; v = v.older {
			if !yield(v) {
				return false
			}
		}
		return true
	})
}

// clear empties the index, for requests that still have the bucket.
func (b *Bucket) clear(contents []Body) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tree.Clear(false)
	clear(b.uploads)
	b.endings = nil
	b.used = Quota{}
	for _, body := range contents {
		body.Release()
	}
}

// change runs a change of a key while no other change of that key runs.
func (b *Bucket) change(key string, run func() error) error {
	b.gate.RLock()
	defer b.gate.RUnlock()
	if b.retired {
		return s3error.ErrNoSuchBucket
	}
	b.keys.LockKey(key)
	defer func() { _ = b.keys.UnlockKey(key) }() // never returns an error
	return run()
}
