package store

import (
	"encoding/xml"
	"errors"
	"net/http"
)

// stsError is an error as clients of STS see it: like S3's, in another document.
type stsError struct {
	code    string
	status  int
	message string
}

// The errors of AssumeRoleWithWebIdentity, and of the query protocol.
var (
	errSTSDenied        = &stsError{"AccessDenied", http.StatusForbidden, "Not authorized to perform sts:AssumeRoleWithWebIdentity"}
	errSTSExpired       = &stsError{"ExpiredTokenException", http.StatusBadRequest, "The web identity token has expired"}
	errSTSInvalidToken  = &stsError{"InvalidIdentityToken", http.StatusBadRequest, "The web identity token could not be validated"}
	errSTSCommunication = &stsError{"IDPCommunicationError", http.StatusBadRequest, "The identity provider could not be asked; try again"}
	errSTSValidation    = &stsError{"ValidationError", http.StatusBadRequest, "The input fails to satisfy the constraints"}
	errSTSMissingAction = &stsError{"MissingAction", http.StatusBadRequest, "The request is missing an action"}
	errSTSInvalidAction = &stsError{"InvalidAction", http.StatusBadRequest, "The action is not valid for this endpoint"}
	errSTSTimeout       = &stsError{"RequestTimeout", http.StatusBadRequest, "The request did not arrive in time"}
	errSTSUnavailable   = &stsError{"ServiceUnavailable", http.StatusServiceUnavailable, "Service is shutting down"}
	errSTSInternal      = &stsError{"InternalFailure", http.StatusInternalServerError, "The request processing has failed; try again"}
)

// Error implements the error interface.
func (e *stsError) Error() string { return e.code + ": " + e.message }

func (e *stsError) with(message string) *stsError { return &stsError{e.code, e.status, message} }

// refuseSTS answers with an error, and logs what is not the client's fault.
func (s *Store) refuseSTS(x *exchange, err error) {
	failure, ok := errors.AsType[*stsError](err)
	log := s.options.Logger.WithValues("request", x.id, "operation", x.operation.Name)
	if ok {
		log.V(1).Info("sts request refused", "code", failure.code)
	} else {
		log.Error(err, "sts request failed")
		failure = errSTSInternal
	}
	if failure == errSTSTimeout {
		x.w.Header().Set("Connection", "close")
	}
	type detail struct{ Type, Code, Message string }
	fault := "Sender"
	if failure.status >= http.StatusInternalServerError {
		fault = "Receiver"
	}
	writeSTS(x, failure.status, struct {
		XMLName   xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ ErrorResponse"`
		Error     detail
		RequestID string `xml:"RequestId"`
	}{Error: detail{fault, failure.code, failure.message}, RequestID: x.id})
}
