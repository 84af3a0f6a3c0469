package gcs

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// received is the body of a request: a document, or a content with its metadata.
type received struct {
	document    bytes.Buffer
	content     objects.Body
	sums        sums
	contentType string // of the content in a body with several parts
}

// sums are the checksums of a content.
type sums struct {
	etag   objects.ETag
	crc32c checksum.Sum
}

// summer computes the checksums of the written data.
type summer struct{ md5, crc32c checksum.Digest }

func newSummer() summer { return summer{checksum.New(checksum.MD5), checksum.New(checksum.CRC32C)} }

func (s summer) Write(data []byte) (int, error) {
	_, _ = s.crc32c.Write(data) // digests return no errors
	return s.md5.Write(data)
}

func (s summer) sums() (result sums) {
	s.md5.Sum(result.etag.Sum[:0])
	result.crc32c = s.crc32c.Checksum()
	return result
}

// sumsOf computes the checksums of a stored content.
func sumsOf(b objects.Body) (sums, error) {
	computed := newSummer()
	reader := b.Open()
	_, err := io.Copy(computed, reader)
	return computed.sums(), errors.Join(err, reader.Close())
}

// md5Of returns an MD5 digest in the JSON API's form. Objects that were uploaded in parts have
// none.
func md5Of(etag objects.ETag) string {
	if etag.Parts > 0 {
		return ""
	}
	return base64.StdEncoding.EncodeToString(etag.Sum[:])
}

// readBody reads the body before the service changes anything. It allocates memory only for
// received bytes, whatever length is declared.
func (s *Service) readBody(x *exchange) error {
	if x.R.Method == http.MethodGet || x.R.Method == http.MethodHead {
		return nil
	}
	if err := unpackBody(x.R); err != nil {
		return err
	}
	switch {
	case x.target.level == levelBatch:
		return receiveDocument(x, maxBatchBytes)
	case x.hasContent():
		in, err := limited(x, s.options.MaxBodyBytes)
		if err != nil {
			return err
		}
		return s.receiveContent(x, in)
	case x.target.level == levelUpload && x.Query.Get("uploadType") == "multipart":
		return s.receiveRelated(x)
	}
	return receiveDocument(x, maxDocumentBytes)
}

// hasContent reports whether the body is the content of an object, or a part of it.
func (x *exchange) hasContent() bool {
	kind := x.Query.Get("uploadType")
	switch {
	case x.target.level == levelResumable:
		return x.R.Method == http.MethodPut
	case x.target.level != levelUpload || x.R.Method == http.MethodDelete:
		return false
	}
	return kind == "media" || kind == "resumable" && x.Query.Get("upload_id") != ""
}

// limited returns the body, which fails after a number of bytes.
func limited(x *exchange, limit int64) (io.Reader, error) {
	if x.R.ContentLength > limit {
		return nil, failure.ErrTooLarge
	}
	return http.MaxBytesReader(x.W, x.R.Body, limit), nil
}

func receiveDocument(x *exchange, limit int64) error {
	in, err := limited(x, limit)
	if err != nil {
		return err
	}
	_, err = io.Copy(&x.body.document, in)
	return err
}

// receiveContent stores the content from in, and computes its checksums.
func (s *Service) receiveContent(x *exchange, in io.Reader) error {
	content, computed, err := keep(s.options.Store.Blobs(), in)
	if err != nil {
		return err
	}
	x.Hold(content.Release)
	x.body.content, x.body.sums = content, computed
	return nil
}

// keep stores a content, which the caller releases, and computes its checksums.
func keep(blobs blobstore.Store, in io.Reader) (objects.Body, sums, error) {
	computed := newSummer()
	content, err := pipeline.Receive(blobs, func(writer io.Writer) error {
		_, err := io.Copy(writer, io.TeeReader(in, computed))
		return err
	})
	return content, computed.sums(), err
}

// receiveRelated reads a body of two parts: metadata and content.
func (s *Service) receiveRelated(x *exchange) error {
	_, parameters, err := mime.ParseMediaType(x.R.Header.Get("Content-Type"))
	if err != nil || parameters["boundary"] == "" {
		return failure.ErrInvalid.With("The Content-Type must be multipart/related, with a boundary")
	}
	in, err := limited(x, s.options.MaxBodyBytes+maxDocumentBytes)
	if err != nil {
		return err
	}
	parts := multipart.NewReader(in, parameters["boundary"])
	metadata, err := nextPart(parts)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(metadata.Header.Get("Content-Type"), "application/json") {
		return failure.ErrInvalid.With("The first part of the body must be JSON")
	}
	if n, err := io.Copy(&x.body.document, io.LimitReader(metadata, maxDocumentBytes+1)); err != nil || n > maxDocumentBytes {
		return errors.Join(err, failure.ErrTooLarge)
	}
	content, err := nextPart(parts)
	if err != nil {
		return err
	}
	x.body.contentType = content.Header.Get("Content-Type")
	if err := s.receiveContent(x, content); err != nil {
		return err
	}
	if _, err := parts.NextRawPart(); !errors.Is(err, io.EOF) {
		return failure.ErrInvalid.With("The body must have two parts")
	}
	return nil
}

func nextPart(parts *multipart.Reader) (*multipart.Part, error) {
	part, err := parts.NextRawPart()
	if err != nil {
		if failure.Of(err) == failure.ErrIncomplete {
			return nil, failure.ErrInvalid.With("The body must have two parts")
		}
		return nil, err
	}
	if encoding := part.Header.Get("Content-Transfer-Encoding"); encoding != "" && encoding != "binary" {
		return nil, failure.ErrNotImplemented.With("cosi-emu does not implement a Content-Transfer-Encoding other than binary")
	}
	return part, nil
}

// declaration are the client's checksums of a content, in base64; empty if it sends none.
type declaration struct{ crc32c, md5 string }

// declared reads the header X-Goog-Hash and the metadata of an upload.
func declared(header http.Header, d document) (sums declaration, err error) {
	if sums.crc32c, err = d.text("crc32c"); err != nil {
		return sums, err
	}
	if sums.md5, err = d.text("md5Hash"); err != nil {
		return sums, err
	}
	for _, line := range header.Values("X-Goog-Hash") {
		for spec := range strings.SplitSeq(line, ",") {
			switch name, value, _ := strings.Cut(strings.TrimSpace(spec), "="); name {
			case "crc32c":
				sums.crc32c = value
			case "md5":
				sums.md5 = value
			}
		}
	}
	return sums, nil
}

func (d declaration) verify(computed sums) error {
	switch {
	case d.crc32c != "" && d.crc32c != computed.crc32c.String():
		return failure.ErrInvalid.With("Provided CRC32C doesn't match the content")
	case d.md5 != "" && d.md5 != md5Of(computed.etag):
		return failure.ErrInvalid.With("Provided MD5 hash doesn't match the content")
	}
	return nil
}
