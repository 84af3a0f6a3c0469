package s3core

import (
	"io"

	"github.com/go-logr/logr"
	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
)

// backend is the backend of gofakes3 for one request. gofakes3's interfaces have no room
// for tags, checksums, conditions and the caller, so each request has its own backend, which has
// the request and ignores gofakes3's parsed values.
type backend struct {
	// The rest of the interface has no implementation: the table of operations never calls it. A
	// call would panic, and become an internal error.
	gofakes3.Backend
	gofakes3.VersionedBackend
	gofakes3.MultipartBackend

	x *s3exchange.Exchange
}

// Serve answers a request with gofakes3. It logs an answer that is interrupted.
func Serve(x *s3exchange.Exchange, logger logr.Logger) error {
	w := newWriter(x)
	core := gofakes3.New(backend{x: x}, gofakes3.WithTimeSource(clock(x.Now)), gofakes3.WithTimeSkewLimit(0))
	core.Server().ServeHTTP(w, requestFor(x))
	if w.streams() && x.Failure != nil {
		logger.V(1).Info("s3 answer interrupted", "request", x.ID, "bucket", x.Bucket, "error", x.Failure.Error())
	}
	return w.finish()
}

// fail stores an error for the response; gofakes3 would turn it into an internal one.
func (b backend) fail(err error) error {
	if err != nil {
		b.x.Failure = err
		return gofakes3.ErrInternal
	}
	return nil
}

func (b backend) BucketExists(string) (bool, error) { return true, nil }

func (b backend) GetObject(_, _ string, wanted *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	v := b.x.Version
	found, err := wanted.Range(v.Size())
	if err != nil {
		return nil, b.fail(err)
	}
	offset, length := int64(0), v.Size()
	if found != nil {
		offset, length = found.Start, found.Length
	}
	content, err := v.Open(offset, length)
	if err != nil {
		return nil, b.fail(err)
	}
	return &gofakes3.Object{Name: v.Key, Size: v.Size(), Contents: sender{content, b.x}, Range: found}, nil
}

// sender is the content of an object. It records when sending fails, so that gofakes3's error is
// not sent as the rest of the content.
type sender struct {
	io.ReadCloser

	x *s3exchange.Exchange
}

func (s sender) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, s.ReadCloser)
	s.x.Failure = err
	return n, err
}

func (b backend) GetObjectVersion(
	bucket, key string, _ gofakes3.VersionID, wanted *gofakes3.ObjectRangeRequest,
) (*gofakes3.Object, error) {
	return b.GetObject(bucket, key, wanted)
}

func (b backend) HeadObject(string, string) (*gofakes3.Object, error) {
	return &gofakes3.Object{Name: b.x.Version.Key, Size: b.x.Version.Size(), Contents: io.NopCloser(nil)}, nil
}

func (b backend) DeleteObject(string, string) (gofakes3.ObjectDeleteResult, error) {
	done, err := b.x.Contents.Delete(b.x.Key, b.x.Query.Get("versionId"), b.x.Conditions, b.x.Bypass())
	return gofakes3.ObjectDeleteResult{
		IsDeleteMarker: done.IsDeleteMarker, VersionID: gofakes3.VersionID(done.VersionID),
	}, b.fail(err)
}

func (b backend) DeleteObjectVersion(bucket, key string, _ gofakes3.VersionID) (gofakes3.ObjectDeleteResult, error) {
	return b.DeleteObject(bucket, key)
}

func (b backend) CreateMultipartUpload(string, string, map[string]string) (gofakes3.UploadID, error) {
	draft, err := b.x.Upload()
	if err != nil {
		return "", b.fail(err)
	}
	u, err := b.x.Contents.BeginUpload(draft)
	return gofakes3.UploadID(u.ID), b.fail(err)
}

func (b backend) AbortMultipartUpload(_, _ string, id gofakes3.UploadID) error {
	return b.fail(b.x.Contents.AbortUpload(b.x.Key, string(id)))
}
