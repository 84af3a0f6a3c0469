package gcs

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// failure is an error of the JSON API; see "Status and error codes" in its reference. Google's
// clients retry all requests with a status of 500 or more until a deadline. So unsupported requests
// return 400.
type failure struct {
	code            int
	status, reason  string
	message         string
	isAuthorization bool
}

func (f *failure) Error() string { return f.message }

func (f *failure) with(message string) *failure {
	changed := *f
	changed.message = message
	return &changed
}

var (
	errAnonymous = &failure{http.StatusUnauthorized, "UNAUTHENTICATED", "required",
		"Anonymous caller does not have access: send the header Authorization: Bearer ACCESS_ID:ACCESS_SECRET, " +
			"or sign a request to the XML API with the key", true}
	errCredentials    = &failure{http.StatusUnauthorized, "UNAUTHENTICATED", "authError", "Invalid Credentials", true}
	errForbidden      = &failure{http.StatusForbidden, "PERMISSION_DENIED", "forbidden", "The key does not give access to this", false}
	errNoBucket       = errNotFound.with("The specified bucket does not exist.")
	errNotFound       = &failure{http.StatusNotFound, "NOT_FOUND", "notFound", "Not Found", false}
	errNotImplemented = &failure{http.StatusBadRequest, "UNIMPLEMENTED", "notImplemented", "cosi-emu does not implement this", false}
	errInvalid        = &failure{http.StatusBadRequest, "INVALID_ARGUMENT", "invalid", "Invalid request", false}
	errCondition      = &failure{http.StatusPreconditionFailed, "FAILED_PRECONDITION", "conditionNotMet",
		"At least one of the pre-conditions you specified did not hold.", false}
	errNotModified = &failure{code: http.StatusNotModified, reason: "notModified"}
	errTooLarge    = &failure{http.StatusRequestEntityTooLarge, "OUT_OF_RANGE", "uploadTooLarge",
		"The object is larger than the service takes", false}
	errIncomplete = errInvalid.with("The body is shorter than its declared length")
	errQuota      = &failure{http.StatusForbidden, "PERMISSION_DENIED", "quotaExceeded",
		"The quota of the bucket, which its class sets, is used up", false}
	errFull    = &failure{http.StatusInsufficientStorage, "RESOURCE_EXHAUSTED", "insufficientStorage", s3error.ErrStorageFull.Message, false}
	errTimeout = &failure{http.StatusRequestTimeout, "DEADLINE_EXCEEDED", "requestTimeout", "The body did not come in time", false}
	errTooMany = &failure{http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "rateLimitExceeded",
		"There are too many unfinished uploads: finish some, or wait until they have expired", false}
	errUnavailable = &failure{http.StatusServiceUnavailable, "UNAVAILABLE", "backendError", "The service is ending", false}
	errInternal    = &failure{http.StatusInternalServerError, "INTERNAL", "internalError", "The service failed; its log has the cause", false}
)

// storeFailures are the responses for errors of the store.
var storeFailures = map[string]*failure{
	s3error.ErrPreconditionFailed.Code: errCondition,
	s3error.ErrNotModified.Code:        errNotModified,
	s3error.ErrNoSuchKey.Code:          errNotFound,
	s3error.ErrNoSuchVersion.Code:      errNotFound,
	s3error.ErrNoSuchUpload.Code:       errNoSession,
	s3error.ErrNoSuchBucket.Code:       errNoBucket,
	s3error.ErrQuotaExceeded.Code:      errQuota,
	s3error.ErrEntityTooLarge.Code:     errTooLarge,
	s3error.ErrInvalidPartOrder.Code:   errInvalid.with("A chunk before this one is missing"),
}

// failureOf returns the response for an error.
func failureOf(err error) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge
	}
	if known, ok := errors.AsType[*s3error.Error](err); ok && known.Status < http.StatusInternalServerError {
		if found := storeFailures[known.Code]; found != nil {
			return found
		}
		return &failure{code: known.Status, reason: known.Code, message: known.Message}
	}
	for _, kind := range kinds {
		if errors.Is(err, kind.err) {
			return kind.failure
		}
	}
	return errInternal
}

// kinds are the responses for kinds of errors.
var kinds = []struct {
	err     error
	failure *failure
}{
	{syscall.ENOSPC, errFull}, {io.EOF, errIncomplete}, {io.ErrUnexpectedEOF, errIncomplete}, {authorization.ErrIdentity, errCredentials},
	{authorization.ErrDenied, errForbidden}, {fakedriver.ErrNotExist, errNoBucket}, {fakedriver.ErrClosed, errUnavailable},
	{os.ErrDeadlineExceeded, errTimeout}, {s3error.ErrServiceUnavailable, errUnavailable},
}

// write sends a failure, without the headers of the prepared response.
func (f *failure) write(w http.ResponseWriter) {
	header := w.Header()
	clear(header)
	if f.code == http.StatusNotModified {
		w.WriteHeader(f.code)
		return
	}
	type detail struct {
		Message      string `json:"message"`
		Domain       string `json:"domain"`
		Reason       string `json:"reason"`
		LocationType string `json:"locationType,omitempty"`
		Location     string `json:"location,omitempty"`
	}
	item := detail{Message: f.message, Domain: "global", Reason: f.reason}
	if f.isAuthorization {
		item.LocationType, item.Location = "header", "Authorization"
		header.Set("WWW-Authenticate", `Bearer realm="https://accounts.google.com/"`)
	}
	document := map[string]any{"error": map[string]any{
		"code": f.code, "message": f.message, "status": f.status, "errors": []detail{item},
	}}
	var text strings.Builder
	if err := json.NewEncoder(&text).Encode(document); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", contentTypeJSON)
	w.WriteHeader(f.code)
	_, _ = w.Write([]byte(text.String())) // the client may have disconnected
}

const contentTypeJSON = "application/json; charset=UTF-8"
