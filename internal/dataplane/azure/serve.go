package azure

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/address"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, r: r}
	w.Header().Set("Server", "cosi-emu")
	w.Header().Set("X-Ms-Request-Id", requestID())
	if id := r.Header.Get(clientIDHeader); len(id) <= maxClientID {
		x.set(clientIDHeader, id)
	}
	defer x.end()
	defer func() {
		httpserver.Recover(recover(), func(cause error, stack string) {
			s.options.Logger.Error(cause, "azure request failed", "operation", x.operation.name, "stack", stack)
			s.respond(x, failure.ErrInternal)
		})
	}()
	for _, run := range phases {
		if err := run(s, x); err != nil {
			s.reject(x, err)
			return
		}
	}
}

func requestID() string { return uuid.Must(uuid.NewRandomFromReader(rand.Reader)).String() }

// reject responds with an error, and logs errors that the client has not caused.
func (s *Service) reject(x *exchange, err error) {
	found := failure.Of(err)
	log := s.options.Logger.WithValues("operation", x.operation.name, "container", x.target.Container, "code", found.Code)
	if found == failure.ErrInternal {
		log.Error(err, "azure request failed")
	} else {
		log.V(1).Info("azure request rejected")
	}
	s.respond(x, found)
}

func (s *Service) respond(x *exchange, found *failure.Error) {
	x.caller.Leave() // a revocation must not wait for an error
	if x.started {
		return
	}
	x.started = true
	found.Write(x.w, x.r)
}

// parse reads path, query and version strictly. It rejects input that two parsers could read
// differently.
func (s *Service) parse(x *exchange) (err error) {
	if x.query, err = url.ParseQuery(x.r.URL.RawQuery); err != nil {
		return failure.ErrInvalidQuery.With("The query is not properly escaped.")
	}
	version, err := versionOf(x.query, x.r.Header)
	x.set(versionHeader, version)
	if err != nil {
		return err
	}
	x.target, err = address.Parse(x.r.URL)
	return err
}

// classify finds the operation. It rejects one that is not served by its name.
func (s *Service) classify(x *exchange) error {
	op, ok := find(x.r.Method, x.target, x.query, x.r.Header)
	if !ok {
		return failure.ErrNotImplemented.With("cosi-emu implements no operation " + x.r.Method + " on the " + string(x.target.Level) +
			" with comp=" + printable(x.query.Get("comp")) + " and restype=" + printable(x.query.Get("restype")) +
			". GET on the container with comp=list and restype=container lists its blobs.")
	}
	x.operation = op
	switch {
	case op.do != nil:
		return op.check(x.query, x.r.Header)
	case op.needs == nil:
		return failure.ErrForbidden.With("Only the driver may do " + op.name + ", for a BucketClaim.")
	default:
		return failure.ErrNotImplemented.With("cosi-emu does not implement " + op.name + ".")
	}
}

// authorize compares the operation's needs with the signature and with the grant.
func (s *Service) authorize(x *exchange) error {
	grant, err := x.caller.Grant(fakedriver.ProtocolAzure, x.target.Container)
	if err != nil && !errors.Is(err, fakedriver.ErrNotExist) {
		return err
	}
	if !x.permits(x.operation.letters, grant, x.operation.needs) || !x.permitsTags(grant) {
		return failure.ErrPermission
	}
	if err != nil {
		return err
	}
	b, err := s.options.Store.GetBucket(x.r.Context(), x.target.Container)
	if err != nil {
		return err
	}
	x.bucket, err = s.options.Store.Objects().Bucket(b.UID)
	return err
}

func (x *exchange) permits(letters string, grant fakedriver.Grant, needs []authorization.Need) bool {
	return permits(x.query, letters) && authorization.Allows(grant, needs)
}

// permitsTags reports whether the request may read the tags of its condition, and write the tags of
// its blob.
func (x *exchange) permitsTags(grant fakedriver.Grant) bool {
	if x.header(ifTagsHeader) != "" && !x.permits("t", grant, authorization.ReadObject) {
		return false
	}
	return x.header(tagsHeader) == "" && !x.copiesTags() || authorization.Allows(grant, authorization.WriteObjectMetadata)
}

// perform runs the operation, after a last check of the key and the grant: they may have ended
// while the body was received. It does not wait for the client until the response starts.
func (s *Service) perform(x *exchange) error {
	if err := x.caller.Enter(); err != nil {
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
