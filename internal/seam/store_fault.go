package seam

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
)

// serve handles a request, and applies its fault. It reports whether the connection
// must be closed.
func (o *operation) serve(w *responseRecorder, r *http.Request, served Describer, next http.Handler) (hangUp bool) {
	if o.applied == nil {
		next.ServeHTTP(w, r)
		return false
	}
	if err := o.apply(r.Context()); err != nil {
		return true
	}
	e := o.effect()
	switch {
	case e.Fail != "":
		return failStore(w, r, served, e.Fail, e.Message)
	case e.Duplicate:
		return o.serveTwice(w, r, next)
	case e.LoseReply != "" || e.Crash == fault.After:
		lost := &responseRecorder{ResponseWriter: newDiscardWriter()}
		next.ServeHTTP(lost, r)
		o.event.Response = lost.summary()
		return o.crashAfter() || failStore(w, r, served, e.LoseReply, e.Message)
	case e.Cut > 0:
		next.ServeHTTP(&cutter{ResponseWriter: w, left: e.Cut}, r)
		_ = http.NewResponseController(w).Flush() // so that the bytes before the cut arrive
		return true
	case e.Flip > 0:
		next.ServeHTTP(&flipper{ResponseWriter: w, left: e.Flip}, r)
	case e.CutUpload > 0:
		return o.serveCut(w, r, next)
	case e.FlipUpload > 0:
		r.Body = &flippedUpload{ReadCloser: r.Body, left: e.FlipUpload}
		next.ServeHTTP(w, r)
	default:
		next.ServeHTTP(w, r)
		o.interfere(r.Context(), true)
	}
	return false
}

// serveTwice handles a request twice. It holds the request body in memory.
func (o *operation) serveTwice(w *responseRecorder, r *http.Request, next http.Handler) (hangUp bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return true
	}
	first := r.Clone(r.Context())
	first.Body = io.NopCloser(bytes.NewReader(body))
	r.Body = io.NopCloser(bytes.NewReader(body))
	next.ServeHTTP(newDiscardWriter(), first)
	next.ServeHTTP(w, r)
	return false
}

// s3Failure is an S3 error; see "Error responses" in the S3 reference.
type s3Failure struct {
	XMLName   xml.Name `xml:"Error"`
	Code      string   `xml:"Code"`
	Message   string   `xml:"Message"`
	Resource  string   `xml:"Resource"`
	RequestID string   `xml:"RequestId"`
}

// azureCodes are Azure's equivalents for codes of S3. Others are sent unchanged.
var azureCodes = map[string]string{
	"AccessDenied": "AuthorizationFailure", "SignatureDoesNotMatch": "AuthenticationFailed", "InvalidAccessKeyId": "AuthenticationFailed",
	"EntityTooLarge": "RequestBodyTooLarge", "NoSuchBucket": "ContainerNotFound", "NoSuchKey": "BlobNotFound",
	"PreconditionFailed": "ConditionNotMet", "RequestTimeout": "OperationTimedOut", "ServiceUnavailable": "ServerBusy",
	"SlowDown": "ServerBusy",
}

// failStore responds with an error of S3, Google or Azure, or resets the connection.
func failStore(w http.ResponseWriter, r *http.Request, served Describer, code, text string) (hangUp bool) {
	status, ok := fault.S3Status(code)
	if !ok {
		return true // reset the connection
	}
	text = cmp.Or(text, http.StatusText(status))
	if _, ok := served.(*gcs.Service); ok && !gcs.IsXML(r) {
		failGCS(w, status, code, text)
		return false
	}
	if _, ok := served.(*azure.Service); ok {
		azure.Fail(w, r, status, cmp.Or(azureCodes[code], code), text)
		return false
	}
	if s3, ok := served.(*s3.Service); ok {
		w = s3.AllowOrigin(w, r)
	}
	id := rand.Text()
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Amz-Request-Id", id)
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return false
	}
	_, _ = io.WriteString(w, xml.Header)
	_ = xml.NewEncoder(w).Encode(s3Failure{Code: code, Message: text, Resource: r.URL.Path, RequestID: id})
	return false
}

// gcsFailure is an error of Google's JSON API; see "Status and error codes" in its
// reference.
type gcsFailure struct {
	Error struct {
		Code    int         `json:"code"`
		Message string      `json:"message"`
		Errors  []gcsReason `json:"errors"`
	} `json:"error"`
}

type gcsReason struct {
	Domain  string `json:"domain"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func failGCS(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	var failed gcsFailure
	failed.Error.Code, failed.Error.Message = status, text
	failed.Error.Errors = []gcsReason{{Domain: "global", Reason: code, Message: text}}
	if err := json.NewEncoder(w).Encode(failed); err != nil {
		return // the client has disconnected
	}
}
