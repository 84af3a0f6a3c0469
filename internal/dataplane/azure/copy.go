package azure

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const copySucceeded = "success"

// source returns the blob that a request copies, with content until the request ends. It is a blob
// of this service, and its URL has a signature with read permission.
func (s *Service) source(x *exchange) (*blob, error) {
	t, query, err := x.sourceTarget()
	if err != nil {
		return nil, err
	}
	caller, err := s.signer(x.R, t, query)
	if err != nil || !permits(query, "r") || x.copiesTags() && !permits(query, "t") {
		return nil, failure.ErrCopySource
	}
	found, err := s.readSource(x, caller, t, query.Get("snapshot"))
	if err != nil {
		return nil, err
	}
	c, err := forWrite(conditionsOf(x.R.Header, "X-Ms-Source-"))
	if err != nil {
		return nil, err
	}
	if ok, fresh := c.hold(found); !ok || !fresh {
		return nil, failure.ErrSourceCondition
	}
	return found, nil
}

// sourceTarget parses the URL of the source.
func (x *exchange) sourceTarget() (t target, query url.Values, err error) {
	u, err := url.Parse(x.header(copySource))
	if err != nil || !strings.EqualFold(u.Host, x.R.Host) {
		return t, nil, failure.ErrCopySource
	}
	if query, err = url.ParseQuery(u.RawQuery); err != nil {
		return t, nil, failure.ErrCopySource
	}
	if t, err = locate(u); err != nil || t.level != levelBlob {
		return t, nil, failure.ErrCopySource
	}
	return t, query, nil
}

// readSource reads the source with its own grant. The gate that the request already holds covers a
// source of the same access.
func (s *Service) readSource(x *exchange, caller *authorization.Caller, t target, snapshot string) (*blob, error) {
	if !caller.IsLive() {
		return nil, failure.ErrCopySource
	}
	grant, err := caller.Grant(fakedriver.ProtocolAzure, t.container)
	if err != nil || !authorization.Allows(grant, authorization.ReadData) {
		return nil, failure.ErrCopySource
	}
	bucket, err := s.options.Store.Bucket(x.R.Context(), t.container)
	if err != nil {
		return nil, failure.ErrCopySource
	}
	v, err := bucket.Get(t.blob, snapshot)
	if err != nil {
		return nil, failure.ErrNoBlob
	}
	x.Hold(v.Release)
	return blobOf(v)
}

// copyBlob copies a blob at once, with its properties.
func (s *Service) copyBlob(x *exchange) error {
	from, err := s.source(x)
	if err != nil {
		return err
	}
	if err := x.checkSource(from); err != nil {
		return err
	}
	a, headers, err := x.attributes(from)
	if err != nil {
		return err
	}
	made, err := s.change(x, true, func(current *blob) (*draft, error) {
		if err := s.checkWrite(x, current); err != nil {
			return nil, err
		}
		if current != nil && current.Type != from.Type {
			return nil, failure.ErrBlobType
		}
		d := s.fresh(from.Type, current)
		d.Body, d.Parts, d.MD5, d.Blocks = from.Body, from.Parts(), from.MD5, from.Blocks
		d.Attributes, d.headers = a, headers
		d.Copy = copyState{ID: requestID(), Source: withoutQuery(x.header(copySource)), Completed: s.now(), Size: from.Size()}
		s.touch(&d)
		return &d, nil
	})
	if err != nil {
		return err
	}
	x.describe(made)
	x.set("X-Ms-Copy-Id", made.Copy.ID)
	x.set("X-Ms-Copy-Status", copySucceeded)
	x.W.WriteHeader(http.StatusAccepted)
	return nil
}

// checkSource reads the source of a copy only if the client has sent a checksum.
func (x *exchange) checkSource(from *blob) error {
	if x.header("X-Ms-Source-Content-Md5") == "" && x.header("X-Ms-Source-Content-Crc64") == "" {
		return from.CheckDamage(from.Body)
	}
	return x.verifySource(from.Body)
}

func (x *exchange) copiesTags() bool { return x.header(tagOption) == "COPY" }

// withoutQuery returns a URL without its query, which has a signature.
func withoutQuery(text string) string {
	text, _, _ = strings.Cut(text, "?")
	return text
}

// abortCopy always fails, because copies complete at once.
func (s *Service) abortCopy(*exchange) error { return failure.ErrNoCopy }

// putFromURL creates a block blob with the content of a source.
func (s *Service) putFromURL(x *exchange) error {
	if x.header(typeHeader) != blockBlob {
		return failure.ErrInvalidHeader.With("The value of x-ms-blob-type must be BlockBlob.")
	}
	from, err := s.source(x)
	if err != nil {
		return err
	}
	if err := x.verifySource(from.Body); err != nil {
		return err
	}
	if strings.EqualFold(x.header("X-Ms-Copy-Source-Blob-Properties"), "false") {
		from = &blob{Version: &objects.Version{Body: from.Body}, properties: from.properties}
	}
	return s.replace(x, blockBlob, from.Body, base64.StdEncoding.EncodeToString(x.body.md5), from)
}

// verifySource compares the checksums of a source with the client's.
func (x *exchange) verifySource(body objects.Body) (err error) {
	if x.body.md5, x.body.crc64, err = sumsOf(body); err != nil {
		return err
	}
	return verify(x.header("X-Ms-Source-Content-Md5"), x.header("X-Ms-Source-Content-Crc64"), x.body.md5, x.body.crc64)
}

func (s *Service) sourceRange(x *exchange) (body objects.Body, err error) {
	if x.R.ContentLength > 0 {
		return body, failure.ErrInvalidHeader.With("A request with a source has no body.")
	}
	from, err := s.source(x)
	if err != nil {
		return body, err
	}
	offset, length, _, err := parseRange(x.header("X-Ms-Source-Range"), from.Size())
	if err != nil {
		return body, err
	}
	body = from.Body.Slice(offset, length)
	return body, x.verifySource(body)
}

func (s *Service) putBlockFromURL(x *exchange) error {
	body, err := s.sourceRange(x)
	if err != nil {
		return err
	}
	x.body.content = body
	return s.putBlock(x)
}

func (s *Service) appendFromURL(x *exchange) error {
	body, err := s.sourceRange(x)
	if err != nil {
		return err
	}
	return s.add(x, body)
}
