package store

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

// serveS3 answers one request.
func (s *Store) serveS3(w http.ResponseWriter, r *http.Request) {
	continueEmpty(w, r)
	x := &exchange{w: w, r: r, id: fmt.Sprintf("%016X", s.requests.Add(1))}
	header := w.Header()
	header.Set("X-Amz-Request-Id", x.id)
	header.Set("X-Amz-Id-2", "cosi-emu")
	header.Set("Server", "cosi-emu")
	defer s.bePatient(x)()
	defer x.end()
	defer x.leave()
	defer s.recover(x)
	if s.hosts.isSTS(r) {
		s.serveSTS(x) //nolint:contextcheck // the request carries it
		return
	}
	if err := s.walk(x); err != nil {
		s.refuse(x, err)
	}
	x.begin()
}

func (s *Store) walk(x *exchange) error {
	for _, run := range phases {
		if err := run(s, x); err != nil {
			return err
		}
	}
	return s.perform(x)
}

// refuse answers with an error, and logs what is not the client's fault.
func (s *Store) refuse(x *exchange, err error) {
	failure := s3error.From(err)
	log := s.options.Logger.WithValues("request", x.id, "operation", x.operation.Name, "bucket", x.bucket, "code", failure.Code)
	if failure == s3error.ErrInternalError {
		log.Error(err, "s3 request failed")
	} else {
		log.V(1).Info("s3 request refused")
	}
	if errors.Is(failure, s3error.ErrRequestTimeout) {
		x.w.Header().Set("Connection", "close") // what is left of the body is not waited for
	}
	s3error.Write(x.w, x.r, x.id, failure)
}

// recover turns a panic, for which gofakes3 is good, into an internal error.
func (s *Store) recover(x *exchange) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler { //nolint:errorlint // a sentinel that net/http compares like this
		panic(cause)
	}
	s.options.Logger.Error(fmt.Errorf("panic: %v", cause), "s3 request failed", //nolint:err113 // has no kind
		"request", x.id, "operation", x.operation.Name, "stack", string(debug.Stack()))
	s3error.Write(x.w, x.r, x.id, s3error.ErrInternalError)
}

// maxHeaderSection is what S3 allows the headers of a request to have, in bytes.
const maxHeaderSection = 8 << 10

// parse reads the query, strictly: a parameter that two readers would see
// differently must not get through.
func (s *Store) parse(x *exchange) error {
	if s.isClosed() {
		return s3error.ErrServiceUnavailable
	}
	size := 0
	for name, values := range x.r.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > maxHeaderSection {
		return s3error.ErrRequestHeaderSectionTooLarge.About("MaxSizeAllowed", strconv.Itoa(maxHeaderSection))
	}
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return s3error.ErrInvalidURI
	}
	x.query = query
	return nil
}
