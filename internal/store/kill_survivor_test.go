package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// survivor is a client that outlives stores, and remembers their acknowledgements.
type survivor struct {
	name   string
	random *rand.Rand
	seeds  int
	c      *s3.Client
	killed func() bool

	// objects are the objects in the bucket photos, by key. An object that was being changed when
	// the store died has several possible states.
	objects map[string][]*thing
	// versions are the versions of one key in the bucket albums, by ID; maybe is one that was being
	// put when the store died.
	versions map[string]*thing
	maybe    *thing
	// uploads are in progress, by ID, with one part each.
	uploads map[string]*thing
}

func newSurvivor(n int, seed uint64) *survivor {
	return &survivor{
		name: fmt.Sprint("client-", n), seeds: n * 1_000_000,
		random:  rand.New(rand.NewPCG(seed, uint64(n))), //nolint:gosec // not for cryptography
		objects: map[string][]*thing{}, versions: map[string]*thing{}, uploads: map[string]*thing{},
	}
}

// sizes are on both sides of the limit for files.
var thingSizes = []int{0, 100, 1 << 10, 64<<10 - 1, 64 << 10, 300 << 10}

func (s *survivor) newThing() *thing {
	s.seeds++
	return newThing(s.seeds, thingSizes[s.random.IntN(len(thingSizes))])
}

func (s *survivor) key() string { return fmt.Sprint(s.name, "/", s.random.IntN(6)) }

// step makes a change, and reports whether it has been acknowledged, which fails only if the store
// has been killed.
func (s *survivor) step(t *testing.T) bool {
	t.Helper()
	steps := []func(*testing.T) error{
		s.put, s.put, s.copy, s.tag, s.delete, s.putVersion, s.putVersion, s.deleteNewest, s.deleteVersion, s.begin, s.complete,
	}
	err := steps[s.random.IntN(len(steps))](t)
	if err != nil && !s.killed() {
		t.Errorf("%s: %v", s.name, err)
	}
	return err == nil
}

// become runs a change of an object. Until it is acknowledged, the object may have either state.
func (s *survivor) become(key string, next *thing, run func() error) error {
	if len(s.objects[key]) == 0 {
		s.objects[key] = []*thing{nil} // there was none
	}
	s.objects[key] = append(s.objects[key], next)
	if err := run(); err != nil {
		return err
	}
	s.objects[key] = []*thing{next}
	return nil
}

// known returns the only possible state of an object.
func (s *survivor) known(key string) *thing {
	if may := s.objects[key]; len(may) == 1 {
		return may[0]
	}
	return nil
}

func (s *survivor) put(t *testing.T) error {
	t.Helper()
	key, next := s.key(), s.newThing()
	return s.become(key, next, func() error {
		_, err := s.c.PutObject(t.Context(), s.input("photos", key, next))
		return err
	})
}

func (s *survivor) input(bucket, key string, w *thing) *s3.PutObjectInput {
	return &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(w.content()), Metadata: w.metadata()}
}

func (th *thing) metadata() map[string]string {
	return map[string]string{"seed": strconv.Itoa(th.seed)}
}

func (s *survivor) copy(t *testing.T) error {
	t.Helper()
	from, to := s.key(), s.key()
	source := s.known(from)
	if source == nil || from == to {
		return nil
	}
	// A copy has one part, whatever its source.
	next := newThing(source.seed, source.size).tagged(source.tag)
	return s.become(to, next, func() error {
		_, err := s.c.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: new("photos"), Key: &to, CopySource: new("photos/" + from)})
		return err
	})
}

func (s *survivor) tag(t *testing.T) error {
	t.Helper()
	key := s.key()
	before := s.known(key)
	if before == nil {
		return nil
	}
	next := before.tagged(fmt.Sprint("tag", s.random.IntN(1000)))
	return s.become(key, next, func() error {
		in := &s3.PutObjectTaggingInput{Bucket: new("photos"), Key: &key, Tagging: tagging(next.tag)}
		_, err := s.c.PutObjectTagging(t.Context(), in)
		return err
	})
}

func (s *survivor) delete(t *testing.T) error {
	t.Helper()
	key := s.key()
	return s.become(key, nil, func() error {
		_, err := s.c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("photos"), Key: &key})
		return err
	})
}

func (s *survivor) putVersion(t *testing.T) error {
	t.Helper()
	s.maybe = s.newThing()
	out, err := s.c.PutObject(t.Context(), s.input("albums", s.name, s.maybe))
	if err == nil {
		s.versions[*out.VersionId], s.maybe = s.maybe, nil
	}
	return err
}

func (s *survivor) deleteNewest(t *testing.T) error {
	t.Helper()
	s.maybe = &thing{marker: true}
	out, err := s.c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("albums"), Key: &s.name})
	if err == nil {
		s.versions[*out.VersionId], s.maybe = s.maybe, nil
	}
	return err
}

func (s *survivor) deleteVersion(t *testing.T) error {
	t.Helper()
	for id, version := range s.versions {
		delete(s.versions, id)
		s.maybe = version
		_, err := s.c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("albums"), Key: &s.name, VersionId: &id})
		if err == nil {
			s.maybe = nil
		}
		return err
	}
	return nil
}

// begin starts an upload with one part. An unacknowledged upload has no owner.
func (s *survivor) begin(t *testing.T) error {
	t.Helper()
	w := s.newThing()
	w.size = max(w.size, 1)
	key := s.name + "/uploaded"
	out, err := s.c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: new("photos"), Key: &key, Metadata: w.metadata(),
	})
	if err != nil {
		return err
	}
	_, err = s.c.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: new("photos"), Key: &key, UploadId: out.UploadId, PartNumber: aws.Int32(1), Body: bytes.NewReader(w.content()),
	})
	if err == nil {
		s.uploads[*out.UploadId] = newThing(w.seed, w.size)
	}
	return err
}

func (s *survivor) complete(t *testing.T) error {
	t.Helper()
	for id, w := range s.uploads {
		delete(s.uploads, id)
		return s.finish(t, s.c, id, w)
	}
	return nil
}

func (s *survivor) finish(t *testing.T, c *s3.Client, id string, w *thing) error {
	t.Helper()
	key := s.name + "/uploaded"
	return s.become(key, w.uploaded(), func() error {
		parts := []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: &w.etag}}
		_, err := c.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
			Bucket: new("photos"), Key: &key, UploadId: &id, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
		})
		return err
	})
}
