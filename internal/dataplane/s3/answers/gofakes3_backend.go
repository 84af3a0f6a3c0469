package answers

import (
	"io"

	"github.com/johannesboyne/gofakes3"
)

// gofakes3Backend is the backend of gofakes3 for one request. gofakes3's interfaces have no room
// for tags, checksums, conditions and the caller, so each request has its own backend, which has
// the request and ignores gofakes3's parsed values.
type gofakes3Backend struct {
	// The rest of the interface has no implementation: the table of operations never calls it. A
	// call would panic, and become an internal error.
	gofakes3.Backend
	gofakes3.VersionedBackend
	gofakes3.MultipartBackend

	x *exchange
}

func (a *Answers) serveGofakes3(x *exchange) error {
	w := newGofakes3Writer(x)
	core := gofakes3.New(gofakes3Backend{x: x}, gofakes3.WithTimeSource(clock(a.options.Now)), gofakes3.WithTimeSkewLimit(0))
	core.Server().ServeHTTP(w, gofakes3Request(x))
	if w.streams() && x.failure != nil {
		a.options.Logger.V(1).Info("s3 answer interrupted", "request", x.ID, "bucket", x.Bucket, "error", x.failure.Error())
	}
	return w.finish()
}

// fail stores an error for the response; gofakes3 would turn it into an internal one.
func (c gofakes3Backend) fail(err error) error {
	if err != nil {
		c.x.failure = err
		return gofakes3.ErrInternal
	}
	return nil
}

func (c gofakes3Backend) BucketExists(string) (bool, error) { return true, nil }

func (c gofakes3Backend) GetObject(_, _ string, wanted *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	v := c.x.version
	found, err := wanted.Range(v.Size())
	if err != nil {
		return nil, c.fail(err)
	}
	offset, length := int64(0), v.Size()
	if found != nil {
		offset, length = found.Start, found.Length
	}
	content, err := v.Open(offset, length)
	if err != nil {
		return nil, c.fail(err)
	}
	return &gofakes3.Object{Name: v.Key, Size: v.Size(), Contents: sender{content, c.x}, Range: found}, nil
}

// sender is the content of an object. It records when sending fails, so that gofakes3's error is
// not sent as the rest of the content.
type sender struct {
	io.ReadCloser

	x *exchange
}

func (s sender) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, s.ReadCloser)
	s.x.failure = err
	return n, err
}

func (c gofakes3Backend) GetObjectVersion(
	bucket, key string, _ gofakes3.VersionID, wanted *gofakes3.ObjectRangeRequest,
) (*gofakes3.Object, error) {
	return c.GetObject(bucket, key, wanted)
}

func (c gofakes3Backend) HeadObject(string, string) (*gofakes3.Object, error) {
	return &gofakes3.Object{Name: c.x.version.Key, Size: c.x.version.Size(), Contents: io.NopCloser(nil)}, nil
}

func (c gofakes3Backend) DeleteObject(string, string) (gofakes3.ObjectDeleteResult, error) {
	done, err := c.x.contents.Delete(c.x.Key, c.x.Query.Get("versionId"), c.x.conditions, c.x.bypass())
	return gofakes3.ObjectDeleteResult{
		IsDeleteMarker: done.IsDeleteMarker, VersionID: gofakes3.VersionID(done.VersionID),
	}, c.fail(err)
}

func (c gofakes3Backend) DeleteObjectVersion(bucket, key string, _ gofakes3.VersionID) (gofakes3.ObjectDeleteResult, error) {
	return c.DeleteObject(bucket, key)
}

func (c gofakes3Backend) CreateMultipartUpload(string, string, map[string]string) (gofakes3.UploadID, error) {
	draft, err := c.x.upload()
	if err != nil {
		return "", c.fail(err)
	}
	u, err := c.x.contents.BeginUpload(draft)
	return gofakes3.UploadID(u.ID), c.fail(err)
}

func (c gofakes3Backend) AbortMultipartUpload(_, _ string, id gofakes3.UploadID) error {
	return c.fail(c.x.contents.AbortUpload(c.x.Key, string(id)))
}
