package gcs

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
)

// upload stores an object from one request, or starts or continues a resumable upload.
func (s *Service) upload(x *exchange) error {
	switch kind := x.query.Get("uploadType"); {
	case kind == "resumable" && x.query.Get("upload_id") != "":
		return s.continueUpload(x)
	case x.r.Method != http.MethodPost:
		return errNotImplemented
	case kind == "resumable":
		return s.beginUpload(x)
	case kind == "multipart":
		return s.uploadMultipart(x)
	case kind == "media":
		return s.uploadMedia(x)
	default:
		return errInvalid.with("The parameter uploadType must be media, multipart or resumable")
	}
}

// incoming is an upload, without its content.
type incoming struct {
	bucket, name string
	document     document
	// contentType is that of the body, if the document has none; contentEncoding is from
	// the query.
	contentType, contentEncoding string

	conditions conditions
	sums       checksums
}

// incomingOf reads the first request of an upload.
func incomingOf(x *exchange, metadata []byte, contentType string) (in incoming, err error) {
	in = incoming{
		bucket: x.target.bucket, name: x.query.Get("name"),
		contentType: contentType, contentEncoding: x.query.Get("contentEncoding"),
	}
	if in.document, err = parseDocument(metadata); err != nil {
		return in, err
	}
	name, err := in.document.text("name")
	if err != nil {
		return in, err
	}
	in.name = cmp.Or(in.name, name)
	if err := checkName(in.name); err != nil {
		return in, err
	}
	if in.conditions, err = conditionsOf(x); err != nil {
		return in, err
	}
	in.sums, err = declared(x.r.Header, in.document)
	return in, err
}

// finish stores an upload whose content is complete.
func (s *Service) finish(x *exchange, in incoming, content []byte) error {
	if int64(len(content)) > s.options.MaxBodyBytes {
		return errTooLarge
	}
	if err := in.sums.verify(content); err != nil {
		return err
	}
	if err := in.conditions.check(s.contents.get(in.bucket, in.name), true); err != nil {
		return err
	}
	a := attributes{Bucket: in.bucket, Name: in.name}
	if err := in.document.apply(&a); err != nil {
		return err
	}
	a.ContentType = cmp.Or(a.ContentType, in.contentType)
	a.ContentEncoding = cmp.Or(in.contentEncoding, a.ContentEncoding)
	made, err := s.put(a, content)
	if err != nil {
		return err
	}
	return s.sendObject(x, made)
}

func (s *Service) uploadMedia(x *exchange) error {
	in, err := incomingOf(x, nil, x.r.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	return s.finish(x, in, x.body.Bytes())
}

// uploadMultipart reads a body of two parts: metadata and content.
func (s *Service) uploadMultipart(x *exchange) error {
	_, parameters, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || parameters["boundary"] == "" {
		return errInvalid.with("The Content-Type must be multipart/related, with a boundary")
	}
	parts := multipart.NewReader(&x.body, parameters["boundary"])
	metadata, kind, err := nextPart(parts)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(kind, "application/json") {
		return errInvalid.with("The first part of the body must be JSON")
	}
	content, kind, err := nextPart(parts)
	if err != nil {
		return err
	}
	if _, err := parts.NextRawPart(); !errors.Is(err, io.EOF) {
		return errInvalid.with("The body must have two parts")
	}
	in, err := incomingOf(x, metadata, kind)
	if err != nil {
		return err
	}
	return s.finish(x, in, content)
}

func nextPart(parts *multipart.Reader) (data []byte, contentType string, err error) {
	part, err := parts.NextRawPart()
	if err != nil {
		return nil, "", errInvalid.with("The body must have two parts")
	}
	if part.Header.Get("Content-Transfer-Encoding") != "" && part.Header.Get("Content-Transfer-Encoding") != "binary" {
		return nil, "", errNotImplemented.with("cosi-emu does not implement a Content-Transfer-Encoding other than binary")
	}
	if data, err = io.ReadAll(part); err != nil {
		return nil, "", errInvalid.with("The body ends within a part")
	}
	return data, part.Header.Get("Content-Type"), nil
}
