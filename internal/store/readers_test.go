package store_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestReadersOfWhatGoes reads objects that are replaced, copied and deleted at the same time, and
// expects every reader to get a whole object, or none.
func TestReadersOfWhatGoes(t *testing.T) {
	for name, dir := range map[string]string{"Memory": "", "Files": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			_, c := s3test.Fixture(t, s3test.Options{Dir: dir})
			const workers, rounds, keys = 4, 25, 3
			var writing atomic.Int32
			var all sync.WaitGroup
			writing.Add(workers)
			for w := range workers {
				all.Go(func() {
					defer writing.Add(-1)
					for i := range rounds {
						replace(t, c, w*rounds+i, fmt.Sprint("k", i%keys), fmt.Sprint("k", (i+1)%keys))
					}
				})
				all.Go(func() {
					for i := 0; writing.Load() > 0; i++ {
						readWhole(t, c, fmt.Sprint("k", i%keys))
					}
				})
			}
			all.Wait()
		})
	}
}

// replace puts an object of some size, copies it, and deletes one of the two. Concurrent deletions
// are no error.
func replace(t *testing.T, c *s3.Client, seed int, key, other string) {
	t.Helper()
	content := newThing(seed, thingSizes[seed%len(thingSizes)]).content()
	if _, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: new("photos"), Key: &key, Body: bytes.NewReader(content)}); err != nil {
		t.Errorf("PutObject(%q): %v", key, err)
	}
	_, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: new("photos"), Key: &other, CopySource: new("photos/" + key)})
	if err != nil && !strings.Contains(err.Error(), "NoSuchKey") {
		t.Errorf("CopyObject(%q): %v", key, err)
	}
	if seed%2 == 0 {
		key = other
	}
	if _, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("photos"), Key: &key}); err != nil {
		t.Errorf("DeleteObject(%q): %v", key, err)
	}
}

func readWhole(t *testing.T, c *s3.Client, key string) {
	t.Helper()
	out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: &key})
	if err != nil {
		if !strings.Contains(err.Error(), "NoSuchKey") {
			t.Errorf("GetObject(%q): %v", key, err)
		}
		return
	}
	defer func() { _ = out.Body.Close() }() // only read
	content, err := io.ReadAll(out.Body)
	if got := `"` + hex.EncodeToString(digest(content)) + `"`; err != nil || got != *out.ETag {
		t.Errorf("GetObject(%q) has %d bytes with ETag %s, want %s; %v", key, len(content), got, *out.ETag, err)
	}
}
