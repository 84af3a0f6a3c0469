package answers

import (
	"io"
	"maps"
	"net/http"
	"net/url"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
)

// newGofakes3 returns gofakes3's server, which answers all requests that it serves. The interfaces of
// gofakes3 have no room for tags, checksums, conditions and the caller, so its backend finds the
// request of a call.
func newGofakes3(a *Answers) http.Handler {
	return gofakes3.New(backend{answers: a}, gofakes3.WithTimeSkewLimit(0)).Server()
}

func (a *Answers) serveGofakes3(x *s3exchange.Exchange) error {
	a.requests.Store(x.ID, x)
	defer a.requests.Delete(x.ID)
	w := newWriter(x)
	a.gofakes3.ServeHTTP(w, requestFor(x))
	if w.streams() && x.Failure != nil {
		a.logger.V(1).Info("s3 answer interrupted", "request", x.ID, "bucket", x.Bucket, "error", x.Failure.Error())
	}
	return w.finish()
}

// idHeader has the ID of a request.
const idHeader = "X-Amz-Exchange"

// requestFor returns the request for gofakes3. It consists of validated parts only, so that
// gofakes3 cannot interpret the client's request differently. The ID of the request is the bucket,
// except in CreateMultipartUpload, whose response has the bucket: there it is in the metadata.
func requestFor(x *s3exchange.Exchange) *http.Request {
	bucket, header := x.ID, http.Header{}
	if x.Operation.Name == "CreateMultipartUpload" {
		bucket = x.Bucket
		header.Set(idHeader, x.ID)
	}
	if x.ByteRange != "" {
		header.Set("Range", x.ByteRange)
	}
	query := maps.Clone(x.Query)
	query.Del("versionId") // the backend knows the version
	r := x.R.WithContext(x.R.Context())
	r.URL = &url.URL{Path: "/" + bucket + "/" + x.Key, RawQuery: query.Encode()}
	r.Header, r.Trailer, r.TransferEncoding = header, nil, nil
	r.Body, r.ContentLength = http.NoBody, 0
	return r
}

type backend struct {
	// The rest of the interface has no implementation: the table of operations never calls it. A
	// call would panic, and become an internal error.
	gofakes3.Backend
	gofakes3.MultipartBackend

	answers *Answers
}

func (b backend) request(id string) *s3exchange.Exchange {
	found, _ := b.answers.requests.Load(id)
	x, _ := found.(*s3exchange.Exchange) // requestFor has set the ID
	return x
}

// fail stores an error for the response; gofakes3 would turn it into an internal one.
func fail(x *s3exchange.Exchange, err error) error {
	if err != nil {
		x.Failure = err
		return gofakes3.ErrInternal
	}
	return nil
}

func (b backend) BucketExists(string) (bool, error) { return true, nil }

func (b backend) GetObject(id, _ string, wanted *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	x := b.request(id)
	v := x.Version
	found, err := wanted.Range(v.Size())
	if err != nil {
		return nil, fail(x, err)
	}
	offset, length := int64(0), v.Size()
	if found != nil {
		offset, length = found.Start, found.Length
	}
	content, err := v.Open(offset, length)
	if err != nil {
		return nil, fail(x, err)
	}
	return &gofakes3.Object{Name: v.Key, Size: v.Size(), Contents: sender{content, x}, Range: found}, nil
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

func (b backend) HeadObject(id, _ string) (*gofakes3.Object, error) {
	v := b.request(id).Version
	return &gofakes3.Object{Name: v.Key, Size: v.Size(), Contents: io.NopCloser(nil)}, nil
}

func (b backend) DeleteObject(id, _ string) (gofakes3.ObjectDeleteResult, error) {
	x := b.request(id)
	if err := x.CheckBypass(); err != nil {
		return gofakes3.ObjectDeleteResult{}, fail(x, err)
	}
	done, err := x.Contents.Delete(x.Key, x.Query.Get("versionId"), x.Conditions, x.Bypass())
	return gofakes3.ObjectDeleteResult{IsDeleteMarker: done.IsDeleteMarker, VersionID: gofakes3.VersionID(done.VersionID)}, fail(x, err)
}

func (b backend) CreateMultipartUpload(_, _ string, metadata map[string]string) (gofakes3.UploadID, error) {
	x := b.request(metadata[idHeader])
	draft, err := x.Upload()
	if err != nil {
		return "", fail(x, err)
	}
	u, err := x.Contents.BeginUpload(draft)
	return gofakes3.UploadID(u.ID), fail(x, err)
}

func (b backend) AbortMultipartUpload(id, _ string, upload gofakes3.UploadID) error {
	x := b.request(id)
	return fail(x, x.Contents.AbortUpload(x.Key, string(upload)))
}
