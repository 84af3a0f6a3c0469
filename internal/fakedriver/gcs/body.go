package gcs

import (
	"errors"
	"io"
	"net/http"
)

// readBody reads the body before the service locks or changes anything. It allocates
// memory only for received bytes, whatever length is declared.
func (s *Service) readBody(x *exchange) error {
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead {
		return nil
	}
	if x.r.Header.Get("Content-Encoding") != "" {
		return errNotImplemented.with("cosi-emu does not implement bodies with a Content-Encoding; " +
			"say in the object's metadata that its content is encoded")
	}
	limit := int64(maxDocumentBytes)
	if x.target.shape == shapeUpload {
		limit = s.options.MaxBodyBytes + maxDocumentBytes
	}
	if x.r.ContentLength > limit {
		return errTooLarge
	}
	_, err := io.Copy(&x.body, http.MaxBytesReader(x.w, x.r.Body, limit))
	if err != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return errInvalid.with("The body is shorter than its length says")
	}
	return err
}
