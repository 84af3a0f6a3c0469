package s3

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// newProtocols returns the functions for the two kinds of requests.
func (s *Service) newProtocols() (requests, preflights pipeline.Protocol[*s3exchange.Exchange]) {
	requests = pipeline.Protocol[*s3exchange.Exchange]{
		Parse: s.parse, Authenticate: s.authenticate(), Classify: s.classify, Authorize: s.authorize, ReadBody: s.readBody, Perform: s.perform,
		Respond: s.respond, Revoked: s.revoked, Details: s.details, Name: "s3", Logger: s.options.Logger,
	}
	preflights = requests
	preflights.Authenticate, preflights.Authorize, preflights.ReadBody = nil, nil, nil
	preflights.Classify = pipeline.Steps(s.resolve, s.checkPreflight)
	preflights.Perform = pipeline.Steps(s.delay, s.answerPreflight)
	return requests, preflights
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	continueEmpty(w, r)
	x := &s3exchange.Exchange{
		Exchange: pipeline.Exchange{W: s.AllowOrigin(w, r), R: r}, ID: requestID(s.count.Add(1)), Dialect: s.dialect, Now: s.options.Now,
	}
	header := w.Header()
	header.Set("X-Amz-Request-Id", x.ID)
	header.Set("X-Amz-Id-2", "cosi-emu")
	switch {
	case s.isSTS(r):
		s.sts.Serve(x.W, r, x.ID)
	case isPreflight(r):
		s.preflights.Serve(x)
	default:
		s.requests.Serve(x)
	}
}

func requestID(number uint64) string {
	id := binary.BigEndian.AppendUint64(nil, number)
	return strings.ToUpper(hex.EncodeToString(id))
}

func (s *Service) details(x *s3exchange.Exchange, err error) ([]any, bool) {
	failure := s3error.From(err)
	return []any{"request", x.ID, "operation", x.Operation.Name, "bucket", x.Bucket, "code", failure.Code},
		errors.Is(failure, s3error.ErrInternalError)
}

func (s *Service) respond(x *s3exchange.Exchange, err error) {
	failure := s3error.From(err)
	if errors.Is(failure, s3error.ErrRequestTimeout) {
		x.W.Header().Set("Connection", "close") // do not wait for the rest of the body
	}
	s3error.Write(x.W, x.R, x.ID, failure)
}

// anyAnswer are headers that do not depend on the request.
var anyAnswer = []string{"Connection", "Server", "X-Amz-Id-2", "X-Amz-Request-Id"}

// revoked responds to a request whose key was revoked, without the headers of the prepared response.
func (s *Service) revoked(x *s3exchange.Exchange, _ error) {
	w := x.ErrorWriter()
	for name := range w.Header() {
		if !slices.Contains(anyAnswer, name) {
			delete(w.Header(), name) // its case may not be canonical
		}
	}
	s3error.Write(w, x.R, x.ID, s3error.ErrInvalidAccessKeyID)
}

// The limits of S3: the headers of a request, and the metadata of an object.
const (
	maxHeaderSection = 8 << 10
	maxMetadata      = 2 << 10
)

// parse reads the query strictly. It rejects input that two parsers could read differently.
func (s *Service) parse(x *s3exchange.Exchange) error {
	if s.options.Store.IsClosed() {
		return s3error.ErrServiceUnavailable
	}
	size := 0
	for name, values := range x.R.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if most := x.Dialect.MaxHeaderBytes; size > most {
		return s3error.ErrRequestHeaderSectionTooLarge.About("MaxSizeAllowed", strconv.Itoa(most))
	}
	query, err := url.ParseQuery(x.R.URL.RawQuery)
	if err != nil || !isKey(x.R.URL.Path) {
		return s3error.ErrInvalidURI
	}
	x.Query = query
	return nil
}

// classify finds the operation.
func (s *Service) classify(x *s3exchange.Exchange) (err error) {
	if x.Operation, err = s3op.Classify(x.R.Method, x.Level, x.Query, x.R.Header, x.Dialect.Operations); err != nil {
		return err
	}
	if err := checkForm(x); err != nil {
		return err
	}
	if err := checkParameters(x); err != nil {
		return err
	}
	return x.Dialect.Serves(x.Operation.Name)
}

// checkParameters rejects values that cannot be right, whatever is stored.
func checkParameters(x *s3exchange.Exchange) error {
	if version := x.Query.Get("versionId"); version != "" && !objects.IsVersionID(version) {
		return errVersionID(version)
	}
	if x.Query.Has("partNumber") {
		_, err := x.PartNumber()
		return err
	}
	return nil
}

func errVersionID(version string) error {
	return s3error.ErrInvalidArgument.With("Invalid version id specified").About("ArgumentName", "versionId").About("ArgumentValue", version)
}

// perform runs the authorized operation. A request that changes something holds its account's gate
// from the last check of the key until the response starts, because the key may have been revoked
// while the body was received. The gate is not held while the client reads.
func (s *Service) perform(x *s3exchange.Exchange) error {
	if x.Operation.Mutates() && x.Caller.Enter() != nil {
		return s3error.ErrInvalidAccessKeyID
	}
	return s.answers.Answer(x)
}
