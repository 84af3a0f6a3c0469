package gcs

import (
	"cmp"
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// upload stores an object from one request, or starts or continues a resumable upload.
func (s *Service) upload(x *exchange) error {
	switch kind := x.Query.Get("uploadType"); {
	case kind == "resumable" && x.Query.Get("upload_id") != "":
		return s.continueUpload(x)
	case x.R.Method != http.MethodPost:
		return failure.ErrNotImplemented
	case kind == "resumable":
		return s.beginUpload(x)
	case kind == "multipart":
		return s.store(x, x.body.document.Bytes(), x.body.contentType)
	case kind == "media":
		return s.store(x, nil, x.R.Header.Get("Content-Type"))
	default:
		return failure.ErrInvalid.With("The parameter uploadType must be media, multipart or resumable")
	}
}

// incoming is an upload, without its content. It is a part of the record of a session.
type incoming struct {
	Bucket   string   `json:"bucket"`
	Name     string   `json:"name"`
	Document document `json:"document,omitempty"`
	// ContentType is the body's, if the document has none; ContentEncoding is from the query.
	ContentType     string `json:"contentType,omitempty"`
	ContentEncoding string `json:"contentEncoding,omitempty"`
	// Length is the declared size of the content, 0 for none.
	Length int64 `json:"length,omitempty"`

	Generation     objects.NumberCondition `json:"ifGeneration"`
	Metageneration objects.NumberCondition `json:"ifMetageneration"`

	sums declaration
}

// incomingOf reads the first request of an upload.
func incomingOf(x *exchange, metadata []byte, contentType string) (in incoming, err error) {
	in = incoming{
		Bucket: x.target.bucket, Name: x.Query.Get("name"),
		ContentType: contentType, ContentEncoding: x.Query.Get("contentEncoding"),
	}
	if in.Document, err = parseDocument(metadata); err != nil {
		return in, err
	}
	name, err := in.Document.text("name")
	if err != nil {
		return in, err
	}
	if err := in.checkType(); err != nil {
		return in, err
	}
	in.Name = cmp.Or(in.Name, name)
	if err := checkName(in.Name); err != nil {
		return in, err
	}
	c, err := conditionsOf(x)
	if err != nil {
		return in, err
	}
	in.Generation, in.Metageneration = c.Generation, c.Metageneration
	in.sums, err = declared(x.R.Header, in.Document)
	return in, err
}

// checkType rejects two different types of the content: the client intends only one.
func (in incoming) checkType() error {
	described, err := in.Document.text("contentType")
	if err != nil || described == "" || in.ContentType == "" || described == in.ContentType {
		return err
	}
	return failure.ErrInvalid.With("Content-Type specified in the upload (" + in.ContentType + ") does not match Content-Type specified in " +
		"metadata (" + described + "). A multipart upload specifies it in the second part of the body, a resumable upload in the header " +
		"X-Upload-Content-Type of its first request.")
}

func (in incoming) conditions() objects.Conditions {
	return objects.Conditions{Generation: in.Generation, Metageneration: in.Metageneration}
}

// draft returns the object for an upload with this content.
func (s *Service) draft(in incoming, content objects.Body, computed sums) (objects.Draft, error) {
	if content.Size() > s.options.MaxBodyBytes {
		return objects.Draft{}, failure.ErrTooLarge
	}
	if err := in.sums.verify(computed); err != nil {
		return objects.Draft{}, err
	}
	a := attributes{Bucket: in.Bucket, Name: in.Name}
	if err := in.Document.apply(&a, s.options.Now().UTC()); err != nil {
		return objects.Draft{}, err
	}
	a.ContentType = cmp.Or(a.ContentType, in.ContentType)
	a.ContentEncoding = cmp.Or(in.ContentEncoding, a.ContentEncoding)
	return a.draft(content, computed)
}

// store stores an object whose content is in the request.
func (s *Service) store(x *exchange, metadata []byte, contentType string) error {
	in, err := incomingOf(x, metadata, contentType)
	if err != nil {
		return err
	}
	httpserver.NoteStored(x.R.Context(), in.Name)
	d, err := s.draft(in, x.body.content, x.body.sums)
	if err != nil {
		return err
	}
	v, err := x.bucket.Put(in.Name, d, in.conditions())
	if err != nil {
		return err
	}
	made, err := objectOf(in.Bucket, v)
	if err != nil {
		return err
	}
	return x.sendObject(made)
}
