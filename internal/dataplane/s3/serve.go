package s3

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/sts"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
)

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	continueEmpty(w, r)
	x := &exchange{Request: s3exchange.Request{W: w, R: r, ID: requestID(s.requests.Add(1))}}
	header := w.Header()
	header.Set("X-Amz-Request-Id", x.ID)
	header.Set("X-Amz-Id-2", "cosi-emu")
	header.Set("Server", "cosi-emu")
	defer x.Release()
	defer func() { x.Caller.Leave() }()
	defer func() { httpserver.Recover(recover(), func(cause error, stack string) { s.fail(x, cause, stack) }) }()
	x.W = s.AllowOrigin(w, r)
	if s.isSTS(r) {
		x.Operation.Name = sts.Operation
		s.sts.Serve(x.W, r, x.ID) //nolint:contextcheck // it has the context of the request
		return
	}
	for _, run := range phasesOf(r) {
		if err := run(s, x); err != nil {
			s.reject(x, err)
			break
		}
	}
	x.begin()
}

func requestID(number uint64) string {
	id := binary.BigEndian.AppendUint64(nil, number)
	return strings.ToUpper(hex.EncodeToString(id))
}

// reject responds with an error, and logs errors that the client has not caused.
func (s *Service) reject(x *exchange, err error) {
	failure := s3error.From(err)
	log := s.options.Logger.WithValues("request", x.ID, "operation", x.Operation.Name, "bucket", x.Bucket, "code", failure.Code)
	if errors.Is(failure, s3error.ErrInternalError) {
		log.Error(err, "s3 request failed")
	} else {
		log.V(1).Info("s3 request rejected")
	}
	if errors.Is(failure, s3error.ErrRequestTimeout) {
		x.W.Header().Set("Connection", "close") // do not wait for the rest of the body
	}
	s3error.Write(x.W, x.R, x.ID, failure)
}

// fail responds with an internal error after a panic, which gofakes3 may cause.
func (s *Service) fail(x *exchange, cause error, stack string) {
	s.options.Logger.Error(cause, "s3 request failed", "request", x.ID, "operation", x.Operation.Name, "stack", stack)
	s3error.Write(x.W, x.R, x.ID, s3error.ErrInternalError)
}

const maxHeaderSection = 8 << 10

// parse reads the query strictly. It rejects input that two parsers could read differently.
func (s *Service) parse(x *exchange) error {
	if s.options.Administrator.IsClosed() {
		return s3error.ErrServiceUnavailable
	}
	size := 0
	for name, values := range x.R.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > maxHeaderSection {
		return s3error.ErrRequestHeaderSectionTooLarge.About("MaxSizeAllowed", strconv.Itoa(maxHeaderSection))
	}
	query, err := url.ParseQuery(x.R.URL.RawQuery)
	if err != nil || !isKey(x.R.URL.Path) {
		return s3error.ErrInvalidURI
	}
	x.Query = query
	return nil
}

// authenticate identifies the caller. From then on, a response starts only after it has entered the
// gate of the caller's account.
func (s *Service) authenticate(x *exchange) (err error) {
	if isForm(x) {
		err = s.authenticateForm(x)
	} else {
		x.Caller, x.signature, err = s.identify(x.R, x.Query)
	}
	if err == nil {
		x.W = &gatedWriter{ResponseWriter: x.W, x: x}
	}
	return err
}
