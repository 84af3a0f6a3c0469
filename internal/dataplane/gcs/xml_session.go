package gcs

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/signature"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// authenticateXML identifies the caller of a resumable upload of the XML API: by the signature of
// its first request, and then by the URL of the upload.
func (s *Service) authenticateXML(x *exchange) (err error) {
	if !x.Query.Has("upload_id") {
		x.Caller, _, err = s.signatures.Verify(x.R, x.Query)
		return err
	}
	bucket, err := s.options.Store.Bucket(x.R.Context(), x.target.bucket)
	if err != nil {
		return failure.ErrNoSession
	}
	found, err := findSession(bucket, x.Query.Get("upload_id"))
	if err != nil || !found.XML || found.Name != x.target.object {
		return failure.ErrNoSession
	}
	if x.Caller, err = s.options.Store.Caller(found.Key); err != nil {
		return failure.ErrNoSession // the access has been revoked
	}
	return nil
}

// beginXML begins a resumable upload. The headers describe the object.
func (s *Service) beginXML(x *exchange) error {
	if x.R.Header.Get(resumableHeader) != "start" {
		return failure.ErrInvalid.With("The value of x-goog-resumable must be start")
	}
	in, err := s.incomingXML(x)
	if err != nil {
		return err
	}
	id, err := s.begin(x.bucket, session{incoming: in, Key: x.Caller.Account().AccessKeyID, XML: true})
	if err != nil {
		return err
	}
	x.W.Header().Set("Location", x.Base()+(&url.URL{Path: "/" + in.Bucket + "/" + in.Name}).EscapedPath()+"?upload_id="+id)
	x.W.Header().Set("X-Guploader-Uploadid", id)
	x.W.Header().Set("Content-Length", "0")
	x.W.WriteHeader(http.StatusCreated)
	return nil
}

// incomingXML reads the headers into the form of the JSON API's document.
func (s *Service) incomingXML(x *exchange) (in incoming, err error) {
	header := x.R.Header
	in = incoming{Bucket: x.target.bucket, Name: x.target.object, ContentType: header.Get("Content-Type")}
	metadata := map[string]string{}
	for name := range header {
		if _, err := translated(name); err != nil && name != resumableHeader {
			return in, err
		}
		if key, ok := strings.CutPrefix(name, signature.MetadataPrefix); ok {
			metadata[strings.ToLower(key)] = header.Get(name)
		}
	}
	texts := map[string]any{"metadata": metadata}
	for member, name := range map[string]string{
		"cacheControl": "Cache-Control", "contentDisposition": "Content-Disposition", "contentEncoding": "Content-Encoding",
		"contentLanguage": "Content-Language", "storageClass": classHeader, "customTime": customTimeHeader,
	} {
		if value := header.Get(name); value != "" {
			texts[member] = value
		}
	}
	text, err := json.Marshal(texts)
	if err != nil {
		return in, err
	}
	if in.Document, err = parseDocument(text); err != nil {
		return in, err
	}
	c, err := conditionsOf(x)
	in.Generation, in.Metageneration = c.Generation, c.Metageneration
	return in, err
}

// sendCreated responds to the last request of an upload of the XML API.
func (x *exchange) sendCreated(a *attributes) error {
	header := x.W.Header()
	describeAttributes(header, a)
	header.Set("Etag", strconv.Quote(a.md5Hex()))
	header.Set("Content-Length", "0")
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// xmlCodes are the codes of the XML API for reasons of the JSON API, except for missing objects.
// The default is InvalidArgument.
var xmlCodes = map[string]*s3error.Error{
	"forbidden": s3error.ErrAccessDenied, "authError": s3error.ErrAccessDenied, "required": s3error.ErrAccessDenied,
	"conditionNotMet": s3error.ErrPreconditionFailed, "uploadTooLarge": s3error.ErrEntityTooLarge,
	"requestTimeout": s3error.ErrRequestTimeout, "backendError": s3error.ErrServiceUnavailable, "internalError": s3error.ErrInternalError,
	"quotaExceeded": s3error.ErrQuotaExceeded, "insufficientStorage": s3error.ErrStorageFull, "notImplemented": s3error.ErrNotImplemented,
}

// writeXML sends a failure in the form of the XML API.
func (x *exchange) writeXML(err error) {
	clear(x.W.Header())
	s3error.Write(x.ErrorWriter(), x.R, "", xmlError(err, s3error.ErrNoSuchUpload))
}

// xmlError returns the error of the XML API for an error of either API; missing is for missing
// objects.
func xmlError(err error, missing *s3error.Error) *s3error.Error {
	if known := s3error.From(err); known != s3error.ErrInternalError {
		return known
	}
	found := failure.Of(err)
	if found.Code == http.StatusNotFound {
		return missing.With(found.Message)
	}
	return cmp.Or(xmlCodes[found.Reason], s3error.ErrInvalidArgument).With(found.Message)
}
