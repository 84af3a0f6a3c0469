package azure

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/tagcondition"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const (
	copySucceeded  = "success"
	maxSourceBytes = 2 << 10
)

// source returns the blob that a request copies, with content until the request ends. It is a blob
// of this service, and its URL has a signature with read permission.
func (s *Service) source(x *exchange) (*blob, error) {
	t, query, err := x.sourceTarget()
	if err != nil {
		return nil, err
	}
	caller, err := s.signer(x.R, t, query)
	switch {
	case err != nil:
		return nil, failure.ErrCopySource
	case !permits(query, "r") || x.copiesTags() && !permits(query, "t"):
		return nil, failure.ErrCopySource.With(failure.ErrPermission.Message)
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
	return found, x.checkSourceTags(query, found)
}

// onlineSource is source for a request that reads the content.
func (s *Service) onlineSource(x *exchange) (*blob, error) {
	found, err := s.source(x)
	if err != nil {
		return nil, err
	}
	err = found.checkOnline()
	return found, err
}

// checkSourceTags checks the condition on the tags of a source, which its signature must allow to read.
func (x *exchange) checkSourceTags(query url.Values, from *blob) error {
	text := x.header("X-Ms-Source-If-Tags")
	if text == "" {
		return nil
	}
	condition, err := tagcondition.Parse(text)
	switch {
	case err != nil:
		return err
	case !permits(query, "t"):
		return failure.ErrCopySource
	case !condition.Holds(from.Attributes.Tags):
		return failure.ErrSourceCondition
	}
	return nil
}

// sourceTarget parses the URL of the source.
func (x *exchange) sourceTarget() (t target, query url.Values, err error) {
	u, err := url.Parse(x.header(copySource))
	if err != nil || !u.IsAbs() || len(x.header(copySource)) > maxSourceBytes {
		return t, nil, failure.ErrInvalidHeader.Because("The value of x-ms-copy-source must be a URL of at most 2 KiB.")
	}
	if !strings.EqualFold(u.Host, x.R.Host) {
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
	if err := x.checkCopy(from); err != nil {
		return err
	}
	a, headers, err := x.attributes(from)
	if err != nil {
		return err
	}
	made, err := s.change(x, true, func(current *blob) (*draft, error) {
		if err := s.checkReplace(x, current); err != nil {
			return nil, err
		}
		if current != nil && current.Type != from.Type {
			return nil, failure.ErrBlobType
		}
		d := s.fresh(from.Type, current)
		d.Body, d.Parts, d.MD5, d.Blocks, d.SequenceNumber = from.Body, from.Parts(), from.MD5, from.Blocks, from.SequenceNumber
		d.Sealed = from.Type == appendBlob && isTrue(x.header("X-Ms-Seal-Blob"))
		d.Attributes, d.headers = a, headers
		d.Copy = copyState{ID: requestID(), Source: x.header(copySource), Completed: s.now(), Size: from.Size()}
		s.touch(&d)
		return &d, s.setTierOf(x, &d)
	})
	if err != nil {
		return err
	}
	x.describe(made)
	if x.operation.name == "CopyBlobFromURL" {
		x.set("Content-Md5", x.header("X-Ms-Source-Content-Md5"))
		x.set("X-Ms-Content-Crc64", x.header("X-Ms-Source-Content-Crc64"))
	}
	x.set("X-Ms-Copy-Id", made.Copy.ID)
	x.set("X-Ms-Copy-Status", copySucceeded)
	x.W.WriteHeader(http.StatusAccepted)
	return nil
}

// checkCopy checks the source of a copy. An archived one is only copied to another tier.
func (x *exchange) checkCopy(from *blob) error {
	tier, err := x.tier(from.Type)
	if err != nil {
		return err
	}
	if tier == "" || tier == archiveTier {
		if err := from.checkOnline(); err != nil {
			return err
		}
	}
	return x.checkSource(from)
}

// checkSource reads the source of a copy only if the client has sent a checksum for it.
func (x *exchange) checkSource(from *blob) error {
	if x.operation.name == "CopyBlob" || x.header("X-Ms-Source-Content-Md5") == "" && x.header("X-Ms-Source-Content-Crc64") == "" {
		return from.CheckDamage(from.Body)
	}
	return x.verifySource(from.Body)
}

func (x *exchange) copiesTags() bool {
	return x.operation.name != "CopyBlob" && x.header(tagOption) == "COPY"
}

// abortCopy always fails, because copies complete at once.
func (s *Service) abortCopy(*exchange) error { return failure.ErrNoCopy }

// putFromURL creates a block blob with the content of a source.
func (s *Service) putFromURL(x *exchange) error {
	if x.header(typeHeader) != blockBlob {
		return failure.ErrInvalidHeader.Because("The value of x-ms-blob-type must be BlockBlob.")
	}
	from, err := s.onlineSource(x)
	if err != nil {
		return err
	}
	if err := x.verifySource(from.Body); err != nil {
		return err
	}
	if strings.EqualFold(x.header("X-Ms-Copy-Source-Blob-Properties"), "false") {
		from = &blob{Version: &objects.Version{Body: from.Body}, properties: from.properties}
	}
	return s.replace(x, properties{Type: blockBlob, MD5: base64.StdEncoding.EncodeToString(x.body.md5)}, from.Body, from)
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
		return body, failure.ErrInvalidHeader.Because("A request with a source has no body.")
	}
	from, err := s.onlineSource(x)
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
