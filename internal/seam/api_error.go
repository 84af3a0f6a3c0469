package seam

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// fail returns the API server's response for a code, or the error of a broken
// connection.
func (r *apiRequest) fail(code string) (*http.Response, error) {
	status, reason, ok := fault.KubernetesStatus(code)
	if !ok {
		return nil, connectionError(code)
	}
	e := r.operation.applied.Effect
	answer := r.statusOf(status, reason)
	answer.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	answer.Message = cmp.Or(e.Message, answer.Message)
	header := http.Header{"Content-Type": {runtime.ContentTypeJSON}}
	if e.RetryAfter > 0 {
		seconds := int(math.Ceil(e.RetryAfter.Seconds()))
		header.Set("Retry-After", strconv.Itoa(seconds))
		if answer.Details != nil {
			answer.Details.RetryAfterSeconds = int32(seconds) //nolint:gosec // no wait reaches 68 years
		}
	}
	return r.answer(status, header, answer)
}

func (r *apiRequest) answer(status int, header http.Header, object any) (*http.Response, error) {
	body, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/2.0", ProtoMajor: 2, Header: header, Request: r.Request,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// Messages of the API server.
const (
	conflictText = "the object has been modified; please apply your changes to the latest version and try again"
	etcdText     = "etcdserver: request timed out"
)

// statusOf returns the API server's Status for an HTTP status and an optional reason.
func (r *apiRequest) statusOf(status int, reason metav1.StatusReason) metav1.Status {
	resource := schema.GroupResource{Group: r.info.APIGroup, Resource: r.info.Resource}
	name := cmp.Or(r.info.Name, nameOf(r.body))
	var failed *apierrors.StatusError
	switch {
	case reason == metav1.StatusReasonAlreadyExists, status == http.StatusConflict && reason == "" && r.Method == http.MethodPost:
		failed = apierrors.NewAlreadyExists(resource, name)
	case status == http.StatusConflict:
		failed = apierrors.NewConflict(resource, name, errors.New(conflictText))
	case status == http.StatusNotFound:
		failed = apierrors.NewNotFound(resource, name)
	case reason == metav1.StatusReasonServerTimeout:
		failed = apierrors.NewServerTimeout(resource, r.info.Verb, 0)
	case status == http.StatusInternalServerError:
		failed = apierrors.NewInternalError(errors.New(etcdText))
	case status == http.StatusTooManyRequests:
		failed = apierrors.NewTooManyRequestsError("too many requests, please try again later")
	case status == http.StatusServiceUnavailable:
		failed = apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
	case status == http.StatusGatewayTimeout:
		failed = apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
	default:
		failed = apierrors.NewGenericServerResponse(status, r.Method, resource, name, "", 0, false)
	}
	if reason != "" {
		failed.ErrStatus.Reason = reason
	}
	return failed.ErrStatus
}

// connectionError returns the error of the net package for a broken connection.
func connectionError(how string) error {
	switch how {
	case fault.TLS:
		return io.ErrUnexpectedEOF
	case fault.Refused:
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	default:
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
}
