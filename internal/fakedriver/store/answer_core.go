package store

import (
	"io"

	"github.com/johannesboyne/gofakes3"
)

// coreBackend is what gofakes3 works on while it answers one request. Its
// interfaces have no room for much of what S3 stores (tags, checksums, conditions,
// who asks), so there is one for every request, which knows the request; what
// gofakes3 has read from it a second time is not looked at.
type coreBackend struct {
	// The rest of the interface has no implementation: the table of operations
	// sends nothing there, and what came all the same would be an internal error.
	gofakes3.Backend
	gofakes3.VersionedBackend
	gofakes3.MultipartBackend

	s *Store
	x *exchange
}

// serveCore has gofakes3 answer the request.
func (s *Store) serveCore(x *exchange) error {
	a := newAnswer(x)
	core := gofakes3.New(coreBackend{s: s, x: x}, gofakes3.WithTimeSource(clock(s.options.Now)), gofakes3.WithTimeSkewLimit(0))
	core.Server().ServeHTTP(a, coreRequest(x))
	if a.streams() && x.failure != nil {
		s.options.Logger.V(1).Info("s3 answer broke off", "request", x.id, "bucket", x.bucket, "error", x.failure.Error())
	}
	return a.finish()
}

// fail keeps an error for the answer; gofakes3 would make it an internal one.
func (c coreBackend) fail(err error) error {
	if err != nil {
		c.x.failure = err
		return gofakes3.ErrInternal
	}
	return nil
}

// BucketExists implements gofakes3.Backend: that has been found out already.
func (c coreBackend) BucketExists(string) (bool, error) { return true, nil }

// GetObject implements gofakes3.Backend.
func (c coreBackend) GetObject(_, _ string, wanted *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	v := c.x.version
	found, err := wanted.Range(v.Size())
	if err != nil {
		return nil, c.fail(err)
	}
	body := v.Body
	if found != nil {
		body = body.Slice(found.Start, found.Length)
	}
	return &gofakes3.Object{Name: v.Key, Size: v.Size(), Contents: sender{body.Open(), c.x}, Range: found}, nil
}

// sender is the content of an object on its way. It notes when sending fails, so
// that what gofakes3 then has to say is not taken for the rest of the content.
type sender struct {
	io.ReadCloser

	x *exchange
}

// WriteTo implements io.WriterTo.
func (s sender) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, s.ReadCloser)
	s.x.failure = err
	return n, err
}

// GetObjectVersion implements gofakes3.VersionedBackend.
func (c coreBackend) GetObjectVersion(
	bucket, key string, _ gofakes3.VersionID, wanted *gofakes3.ObjectRangeRequest,
) (*gofakes3.Object, error) {
	return c.GetObject(bucket, key, wanted)
}

// HeadObject implements gofakes3.Backend; the core uses it for versions, too.
func (c coreBackend) HeadObject(string, string) (*gofakes3.Object, error) {
	return &gofakes3.Object{Name: c.x.version.Key, Size: c.x.version.Size(), Contents: io.NopCloser(nil)}, nil
}

// DeleteObject implements gofakes3.Backend.
func (c coreBackend) DeleteObject(string, string) (gofakes3.ObjectDeleteResult, error) {
	done, err := c.x.contents.Delete(c.x.key, c.x.query.Get("versionId"), c.x.conditions)
	return gofakes3.ObjectDeleteResult{
		IsDeleteMarker: done.IsDeleteMarker, VersionID: gofakes3.VersionID(done.VersionID),
	}, c.fail(err)
}

// DeleteObjectVersion implements gofakes3.VersionedBackend.
func (c coreBackend) DeleteObjectVersion(bucket, key string, _ gofakes3.VersionID) (gofakes3.ObjectDeleteResult, error) {
	return c.DeleteObject(bucket, key)
}

// CreateMultipartUpload implements gofakes3.MultipartBackend.
func (c coreBackend) CreateMultipartUpload(string, string, map[string]string) (gofakes3.UploadID, error) {
	draft, err := c.x.upload()
	if err != nil {
		return "", c.fail(err)
	}
	u, err := c.x.contents.BeginUpload(draft)
	return gofakes3.UploadID(u.ID), c.fail(err)
}

// AbortMultipartUpload implements gofakes3.MultipartBackend.
func (c coreBackend) AbortMultipartUpload(_, _ string, id gofakes3.UploadID) error {
	return c.fail(c.x.contents.AbortUpload(c.x.key, string(id)))
}
