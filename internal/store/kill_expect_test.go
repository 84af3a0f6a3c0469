package store_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// expect compares the actual objects with the acknowledged ones, and stores the outcome of open
// changes.
func (s *survivor) expect(t *testing.T, c *s3.Client) {
	t.Helper()
	for key, may := range s.objects {
		s.expectObject(t, c, key, may)
	}
	s.expectVersions(t, c)
	s.expectUploads(t, c)
}

func (s *survivor) expectObject(t *testing.T, c *s3.Client, key string, may []*thing) {
	t.Helper()
	var wrong []string
	for _, w := range may {
		mismatch := w.mismatch(t, c, "photos", key, nil)
		if mismatch == "" {
			s.objects[key] = []*thing{w}
			return
		}
		wrong = append(wrong, mismatch)
	}
	t.Errorf("%s: %q", key, wrong)
}

func (s *survivor) expectVersions(t *testing.T, c *s3.Client) {
	t.Helper()
	there := s.listVersions(t, c)
	for id, w := range s.versions {
		if !there[id] {
			t.Errorf("version %s of %s is gone", id, s.name)
		} else if mismatch := w.mismatch(t, c, "albums", s.name, &id); mismatch != "" {
			t.Errorf("version %s of %s: %s", id, s.name, mismatch)
		}
		delete(there, id)
	}
	for id := range there { // objects that were being put, or deleted
		if s.maybe == nil {
			t.Errorf("version %s of %s is there, and should not be", id, s.name)
			continue
		}
		if mismatch := s.maybe.mismatch(t, c, "albums", s.name, &id); mismatch != "" {
			t.Errorf("version %s of %s is there by halves: %s", id, s.name, mismatch)
		}
		s.versions[id], s.maybe = s.maybe, nil
	}
	s.maybe = nil
}

func (s *survivor) listVersions(t *testing.T, c *s3.Client) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	pages := s3.NewListObjectVersionsPaginator(c, &s3.ListObjectVersionsInput{Bucket: new("albums"), Prefix: &s.name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range page.Versions {
			there[*v.VersionId] = *v.Key == s.name
		}
		for _, m := range page.DeleteMarkers {
			there[*m.VersionId] = *m.Key == s.name
		}
	}
	for id, mine := range there {
		if !mine {
			delete(there, id)
		}
	}
	return there
}

// expectUploads expects uploads in progress to have their parts, and completes some of them.
func (s *survivor) expectUploads(t *testing.T, c *s3.Client) {
	t.Helper()
	key := s.name + "/uploaded"
	for id, w := range s.uploads {
		parts, err := c.ListParts(t.Context(), &s3.ListPartsInput{Bucket: new("photos"), Key: &key, UploadId: &id})
		if err != nil {
			t.Errorf("upload %s of %s: %v", id, key, err)
			continue
		}
		if len(parts.Parts) != 1 || *parts.Parts[0].ETag != w.etag || *parts.Parts[0].Size != int64(w.size) {
			t.Errorf("upload %s of %s has parts %+v, want one of %d bytes with ETag %s", id, key, parts.Parts, w.size, w.etag)
		}
		if s.random.IntN(2) == 0 {
			continue
		}
		delete(s.uploads, id)
		if err := s.finish(t, c, id, w); err != nil {
			t.Errorf("upload %s of %s cannot be completed: %v", id, key, err)
		}
		s.expectObject(t, c, key, s.objects[key])
	}
}

// clear deletes everything that the client has created.
func (s *survivor) clear(t *testing.T, c *s3.Client) {
	t.Helper()
	for key := range s.objects {
		if _, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("photos"), Key: &key}); err != nil {
			t.Error(err)
		}
	}
	for id := range s.versions {
		in := &s3.DeleteObjectInput{Bucket: new("albums"), Key: &s.name, VersionId: &id}
		if _, err := c.DeleteObject(t.Context(), in); err != nil {
			t.Error(err)
		}
	}
}
