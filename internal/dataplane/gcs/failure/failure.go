// Package failure has the errors of the JSON API, and their responses.
package failure

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Error is an error of the JSON API; see "Status and error codes" in its reference. Google's
// clients retry all requests with a status of 500 or more until a deadline. So unsupported requests
// return 400.
type Error struct {
	Code            int    `json:"code"`
	Status          string `json:"status"`
	Reason          string `json:"reason"`
	Message         string `json:"message"`
	isAuthorization bool
}

// Error implements error.
func (f *Error) Error() string { return f.Message }

// With returns the error with another message.
func (f *Error) With(message string) *Error {
	changed := *f
	changed.Message = message
	return &changed
}

// The errors, with the names of the reference.
var (
	ErrAnonymous = &Error{http.StatusUnauthorized, "UNAUTHENTICATED", "required",
		"Anonymous caller does not have access: send the header Authorization: Bearer ACCESS_ID:ACCESS_SECRET, " +
			"or sign a request to the XML API with the key", true}
	ErrCredentials    = &Error{http.StatusUnauthorized, "UNAUTHENTICATED", "authError", "Invalid Credentials", true}
	ErrForbidden      = &Error{http.StatusForbidden, "PERMISSION_DENIED", "forbidden", "The key does not give access to this", false}
	errNoBucket       = ErrNotFound.With("The specified bucket does not exist.")
	ErrNotFound       = &Error{http.StatusNotFound, "NOT_FOUND", "notFound", "Not Found", false}
	ErrNotImplemented = &Error{http.StatusBadRequest, "UNIMPLEMENTED", "notImplemented", "cosi-emu does not implement this", false}
	ErrInvalid        = &Error{http.StatusBadRequest, "INVALID_ARGUMENT", "invalid", "Invalid request", false}
	ErrCondition      = &Error{http.StatusPreconditionFailed, "FAILED_PRECONDITION", "conditionNotMet",
		"At least one of the pre-conditions you specified did not hold.", false}
	ErrNotModified = &Error{Code: http.StatusNotModified, Reason: "notModified"}
	ErrTooLarge    = &Error{http.StatusRequestEntityTooLarge, "OUT_OF_RANGE", "uploadTooLarge",
		"The object is larger than the service takes", false}
	ErrURLTooLarge = &Error{http.StatusRequestEntityTooLarge, "OUT_OF_RANGE", "uploadTooLarge",
		"The URL and the headers of the request have more than 16 KiB", false}
	errHold       = &Error{http.StatusForbidden, "PERMISSION_DENIED", "objectUnderActiveHold", "", false}
	ErrIncomplete = ErrInvalid.With("The body is shorter than its declared length")
	errQuota      = &Error{http.StatusForbidden, "PERMISSION_DENIED", "quotaExceeded",
		"The quota of the bucket, which its class sets, is used up", false}
	errFull    = &Error{http.StatusInsufficientStorage, "RESOURCE_EXHAUSTED", "insufficientStorage", s3error.ErrStorageFull.Message, false}
	errTimeout = &Error{http.StatusRequestTimeout, "DEADLINE_EXCEEDED", "requestTimeout", "The body did not come in time", false}
	ErrTooMany = &Error{http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "rateLimitExceeded",
		"There are too many unfinished uploads: finish some, or wait until they have expired", false}
	ErrUnavailable = &Error{http.StatusServiceUnavailable, "UNAVAILABLE", "backendError", "The service is ending", false}
	ErrInternal    = &Error{http.StatusInternalServerError, "INTERNAL", "internalError", "The service failed; its log has the cause", false}
)

// storeFailures are the responses for errors of the store.
var storeFailures = map[string]*Error{
	s3error.ErrPreconditionFailed.Code: ErrCondition,
	s3error.ErrNotModified.Code:        ErrNotModified,
	s3error.ErrNoSuchKey.Code:          ErrNotFound,
	s3error.ErrNoSuchVersion.Code:      ErrNotFound,
	s3error.ErrNoSuchUpload.Code:       ErrNoSession,
	s3error.ErrNoSuchBucket.Code:       errNoBucket,
	s3error.ErrQuotaExceeded.Code:      errQuota,
	s3error.ErrEntityTooLarge.Code:     ErrTooLarge,
	s3error.ErrInvalidPartOrder.Code:   ErrInvalid.With("A chunk before this one is missing"),
}

// Of returns the response for an error.
func Of(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return ErrTooLarge
	}
	if known, ok := errors.AsType[*s3error.Error](err); ok && known.Code == s3error.ErrObjectUnderActiveHold.Code {
		return errHold.With(known.Message)
	} else if ok && known.Status < http.StatusInternalServerError {
		if found := storeFailures[known.Code]; found != nil {
			return found
		}
		return &Error{Code: known.Status, Reason: known.Code, Message: known.Message}
	}
	for _, kind := range kinds {
		if errors.Is(err, kind.err) {
			return kind.failure
		}
	}
	return ErrInternal
}

// kinds are the responses for kinds of errors.
var kinds = []struct {
	err     error
	failure *Error
}{
	{syscall.ENOSPC, errFull}, {io.EOF, ErrIncomplete}, {io.ErrUnexpectedEOF, ErrIncomplete}, {authorization.ErrIdentity, ErrCredentials},
	{authorization.ErrDenied, ErrForbidden}, {fakedriver.ErrNotExist, errNoBucket}, {fakedriver.ErrClosed, ErrUnavailable},
	{os.ErrDeadlineExceeded, errTimeout}, {s3error.ErrServiceUnavailable, ErrUnavailable},
}

// Write sends a failure, without the headers of the prepared response.
func (f *Error) Write(w http.ResponseWriter) {
	header := w.Header()
	clear(header)
	if f.Code == http.StatusNotModified {
		w.WriteHeader(f.Code)
		return
	}
	type detail struct {
		Message      string `json:"message"`
		Domain       string `json:"domain"`
		Reason       string `json:"reason"`
		LocationType string `json:"locationType,omitempty"`
		Location     string `json:"location,omitempty"`
	}
	item := detail{Message: f.Message, Domain: "global", Reason: f.Reason}
	if f.isAuthorization {
		item.LocationType, item.Location = "header", "Authorization"
		header.Set("WWW-Authenticate", `Bearer realm="https://accounts.google.com/"`)
	}
	document := map[string]any{"error": map[string]any{
		"code": f.Code, "message": f.Message, "status": f.Status, "errors": []detail{item},
	}}
	var text strings.Builder
	if err := json.NewEncoder(&text).Encode(document); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", ContentType)
	w.WriteHeader(f.Code)
	_, _ = w.Write([]byte(text.String())) // the client may have disconnected
}

// ContentType is the type of the documents of the JSON API.
const ContentType = "application/json; charset=UTF-8"

// ErrNoSession is the error for an upload that does not exist.
var ErrNoSession = ErrNotFound.With("The upload does not exist: it has ended, or has expired")
