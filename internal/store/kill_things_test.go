package store_test

import (
	"bytes"
	"crypto/md5" //nolint:gosec // ETags are made of it
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// thing is the expected state of an object or a version; nil is none.
type thing struct {
	seed, size int
	etag       string
	tag        string
	marker     bool // a delete marker
}

// content follows from the seed, so that a reader can verify it.
func (th *thing) content() []byte {
	var key [32]byte
	copy(key[:], strconv.Itoa(th.seed))
	made := make([]byte, th.size)
	_, _ = rand.NewChaCha8(key).Read(made) // never returns an error
	return made
}

func newThing(seed, size int) *thing {
	w := &thing{seed: seed, size: size}
	w.etag = `"` + hex.EncodeToString(digest(w.content())) + `"`
	return w
}

// uploaded returns the thing after an upload in one part.
func (th *thing) uploaded() *thing {
	changed := *th
	changed.etag = `"` + hex.EncodeToString(digest(digest(th.content()))) + `-1"`
	return &changed
}

func (th *thing) tagged(tag string) *thing {
	changed := *th
	changed.tag = tag
	return &changed
}

func digest(content []byte) []byte {
	sum := md5.Sum(content) //nolint:gosec // see the import
	return sum[:]
}

// mismatch describes the differences of a version, or of an object if the ID is nil; empty without
// any.
func (th *thing) mismatch(t *testing.T, c *s3.Client, bucket, key string, id *string) string {
	t.Helper()
	out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: &key, VersionId: id})
	if th == nil || th.marker {
		if err == nil {
			_ = out.Body.Close() // not read
			return "it is there"
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	defer func() { _ = out.Body.Close() }() // only read
	got, err := io.ReadAll(out.Body)
	switch {
	case err != nil:
		return err.Error()
	case !bytes.Equal(got, th.content()):
		return fmt.Sprintf("it has %d bytes that are not the %d that were put", len(got), th.size)
	case *out.ETag != th.etag:
		return fmt.Sprintf("the ETag is %s, want %s", *out.ETag, th.etag)
	case out.Metadata["seed"] != strconv.Itoa(th.seed):
		return fmt.Sprintf("the metadata is %v, want %d", out.Metadata, th.seed)
	}
	return th.mismatchedTag(t, c, bucket, key, id)
}

func (th *thing) mismatchedTag(t *testing.T, c *s3.Client, bucket, key string, id *string) string {
	t.Helper()
	tags, err := c.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: &bucket, Key: &key, VersionId: id})
	if err != nil {
		return err.Error()
	}
	var got string
	for _, tag := range tags.TagSet {
		got += *tag.Value
	}
	if got != th.tag {
		return fmt.Sprintf("the tag is %q, want %q", got, th.tag)
	}
	return ""
}

func tagging(value string) *types.Tagging {
	return &types.Tagging{TagSet: []types.Tag{{Key: new("tag"), Value: &value}}}
}
