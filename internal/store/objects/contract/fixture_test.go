package contract_test

import (
	"crypto/md5" //nolint:gosec // what ETags are made of
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fixture is a bucket whose blob store counts references and fails on demand.
type fixture struct {
	testing.TB
	*objects.Bucket

	store *objects.Store
	blobs *countingStore
}

// minPart is the minimum size of a part in these tests.
const minPart = 4

func newFixture(tb testing.TB, config objects.Config) *fixture {
	tb.Helper()
	f := &fixture{TB: tb, blobs: newCountingStore(tb)}
	var ticks atomic.Int64
	var err error
	f.store, err = objects.New(objects.Options{
		Blobs: f.blobs, Rand: seeded(1), MinPartBytes: minPart,
		Now: func() time.Time { return epoch.Add(time.Duration(ticks.Add(1)) * time.Second) },
	})
	f.must(err)
	f.must(f.store.CreateBucket("b", config))
	f.Bucket, err = f.store.Bucket("b")
	f.must(err)
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func seeded(seed uint64) *rand.ChaCha8 {
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], seed)
	return rand.NewChaCha8(key)
}

// randomly is random, but depends on the seed only.
func randomly(seed uint64) *rand.Rand {
	return rand.New(seeded(seed)) //nolint:gosec // it is not to be random for anybody else
}

// body stores a content, with the caller's as the only reference.
func (f *fixture) body(content string) objects.Body {
	f.Helper()
	w := f.blobs.Create()
	defer w.Abort()
	_, err := io.WriteString(w, content)
	f.must(err)
	blob, err := w.Seal()
	f.must(err)
	if blob.Size() == 0 {
		blob.Release() // an empty body has no blob
		return objects.Body{}
	}
	return objects.NewBody(blob)
}

// draft is an object with a content. done releases the reference.
func (f *fixture) draft(content string) (d objects.Draft, done func()) {
	f.Helper()
	body := f.body(content)
	return objects.Draft{Body: body, ETag: etag(content)}, body.Release
}

func etag(content string) objects.ETag {
	return objects.ETag{Sum: md5.Sum([]byte(content))} //nolint:gosec // see the import
}

func (f *fixture) put(key, content string) string {
	f.Helper()
	d, done := f.draft(content)
	defer done()
	v, err := f.Put(key, d, objects.Conditions{})
	f.must(err)
	return v.ID
}

// remove deletes an object, or a version of it.
func (f *fixture) remove(key, id string) objects.Deletion {
	f.Helper()
	done, err := f.Delete(key, id, objects.Conditions{}, objects.BypassNothing)
	f.must(err)
	return done
}

// text reads a version, the newest if the ID is empty.
func (f *fixture) text(key, id string) (string, error) {
	f.Helper()
	v, err := f.Get(key, id)
	defer v.Release()
	if err != nil {
		return "", err
	}
	return f.read(v.Body), nil
}

func (f *fixture) read(b objects.Body) string {
	f.Helper()
	r := b.Open()
	content, err := io.ReadAll(r)
	f.must(err)
	f.must(r.Close())
	return string(content)
}
