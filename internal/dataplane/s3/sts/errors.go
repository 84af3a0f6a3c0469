package sts

import (
	"encoding/xml"
	"errors"
	"net/http"
)

// failure is an error of STS. Its document differs from S3's.
type failure struct {
	code    string
	status  int
	message string
}

// The errors of AssumeRoleWithWebIdentity, and of the query protocol.
var (
	errDenied        = &failure{"AccessDenied", http.StatusForbidden, "Not authorized to perform sts:AssumeRoleWithWebIdentity"}
	errExpired       = &failure{"ExpiredTokenException", http.StatusBadRequest, "The web identity token has expired"}
	errInvalidToken  = &failure{"InvalidIdentityToken", http.StatusBadRequest, "The web identity token could not be validated"}
	errCommunication = &failure{"IDPCommunicationError", http.StatusBadRequest, "The identity provider could not be asked; try again"}
	errValidation    = &failure{"ValidationError", http.StatusBadRequest, "The input fails to satisfy the constraints"}
	errMissingAction = &failure{"MissingAction", http.StatusBadRequest, "The request is missing an action"}
	errInvalidAction = &failure{"InvalidAction", http.StatusBadRequest, "The action is not valid for this endpoint"}
	errTimeout       = &failure{"RequestTimeout", http.StatusBadRequest, "The request did not arrive in time"}
	errUnavailable   = &failure{"ServiceUnavailable", http.StatusServiceUnavailable, "Service is shutting down"}
	errInternal      = &failure{"InternalFailure", http.StatusInternalServerError, "The request processing has failed; try again"}
)

func (e *failure) Error() string { return e.code + ": " + e.message }

func (e *failure) with(message string) *failure { return &failure{e.code, e.status, message} }

// failureOf returns the response for an error.
func failureOf(err error) *failure {
	if found, ok := errors.AsType[*failure](err); ok {
		return found
	}
	return errInternal
}

func (s *Service) details(x *exchange, err error) ([]any, bool) {
	found := failureOf(err)
	return []any{"request", x.id, "operation", Operation, "code", found.code}, found == errInternal
}

func (s *Service) respond(x *exchange, err error) {
	found := failureOf(err)
	if found == errTimeout {
		x.W.Header().Set("Connection", "close")
	}
	type detail struct{ Type, Code, Message string }
	fault := "Sender"
	if found.status >= http.StatusInternalServerError {
		fault = "Receiver"
	}
	x.send(found.status, struct {
		XMLName   xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ ErrorResponse"`
		Error     detail
		RequestID string `xml:"RequestId"`
	}{Error: detail{fault, found.code, found.message}, RequestID: x.id})
}
