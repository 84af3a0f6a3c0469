package azure

import (
	"crypto/rand"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

func (s *Service) newProtocol() *pipeline.Protocol[*exchange] {
	return &pipeline.Protocol[*exchange]{
		Parse: s.parse, Authenticate: s.authenticate, Classify: s.classify, Authorize: s.authorize, ReadBody: s.readBody, Perform: s.perform,
		Respond: s.respond, Details: s.details, Name: "azure", Logger: s.options.Logger,
	}
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Exchange: pipeline.Exchange{W: w, R: r}}
	x.set("X-Ms-Request-Id", requestID())
	if id := x.header(clientIDHeader); len(id) <= maxClientID {
		x.set(clientIDHeader, id)
	}
	s.protocol.Serve(x)
}

func requestID() string { return uuid.Must(uuid.NewRandomFromReader(rand.Reader)).String() }

func (s *Service) details(x *exchange, err error) ([]any, bool) {
	found := failure.Of(err)
	return []any{"operation", x.operation.name, "container", x.target.container, "code", found.Code}, found == failure.ErrInternal
}

func (s *Service) respond(x *exchange, err error) { failure.Of(err).Write(x.ErrorWriter(), x.R) }

// parse reads path, query and version strictly. It rejects input that two parsers could read
// differently.
func (s *Service) parse(x *exchange) (err error) {
	if x.Query, err = url.ParseQuery(x.R.URL.RawQuery); err != nil {
		return failure.ErrInvalidQuery.Because("The query is not properly escaped.")
	}
	version, err := versionOf(x.Query, x.R.Header)
	x.set(versionHeader, version)
	if err != nil {
		return err
	}
	x.target, err = locate(x.R.URL)
	return err
}

// classify finds the operation. It rejects one that is not served by its name.
func (s *Service) classify(x *exchange) error {
	op, ok := find(x.R.Method, x.target, x.Query, x.R.Header)
	if !ok {
		return failure.ErrNotImplemented.With("cosi-emu implements no operation " + x.R.Method + " on the " + string(x.target.level) +
			" with comp=" + printable(x.Query.Get("comp")) + " and restype=" + printable(x.Query.Get("restype")) +
			". GET on the container with comp=list and restype=container lists its blobs.")
	}
	x.operation = op
	switch {
	case op.do != nil:
		var err error
		if x.lease, err = leaseID(x.header(leaseHeader)); err != nil {
			return err
		}
		return op.check(x.Query, x.R.Header)
	case op.needs == nil:
		return failure.ErrForbidden.With("Only the driver may do " + op.name + ", for a BucketClaim.")
	default:
		return failure.ErrNotImplemented.With("cosi-emu does not implement " + op.name + ".")
	}
}

// perform runs the operation, after a last check of the key and the grant: they may have ended
// while the body was received. It does not wait for the client until the response starts.
func (s *Service) perform(x *exchange) error {
	if err := x.Caller.Enter(); err != nil {
		return err
	}
	if err := s.authorize(x); err != nil {
		return err
	}
	return x.operation.do(s, x)
}

// Fail responds with an error, for faults in front of the service.
func Fail(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	w.Header().Set("X-Ms-Request-Id", requestID())
	w.Header().Set(versionHeader, sas.Version)
	(&failure.Error{Status: status, Code: code, Message: message}).Write(w, r)
}
