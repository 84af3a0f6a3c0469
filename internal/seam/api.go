package seam

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/connrotation"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// maxRecordedBody is the maximum size of a recorded request or response. Of larger ones, only the
// operation is recorded.
const maxRecordedBody = 256 << 10

// RESTConfig returns a copy of a client configuration for this incarnation. Its requests cross the
// api seam, over connections that the fence closes. It uses JSON for all kinds, so that the journal
// is readable.
func (i *Incarnation) RESTConfig(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.ContentType = runtime.ContentTypeJSON
	cfg.AcceptContentTypes = runtime.ContentTypeJSON
	connections := connrotation.NewDialer((&net.Dialer{}).DialContext)
	i.atEnd(connections.CloseAll)
	cfg.Dial = connections.DialContext
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &apiSeam{incarnation: i, next: next}
	})
	return cfg
}

type apiSeam struct {
	incarnation *Incarnation
	next        http.RoundTripper
}

// WrappedRoundTripper returns the transport below, for client-go.
func (s *apiSeam) WrappedRoundTripper() http.RoundTripper { return s.next }

func (s *apiSeam) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.incarnation.faults.Bypassed() {
		return s.next.RoundTrip(req)
	}
	body, err := readRequest(req)
	if err != nil {
		return nil, err
	}
	info := parse(req)
	c, ctx, err := s.incarnation.enter(req.Context(), journal.SeamAPI, operationOf(info, body), caller)
	if err != nil {
		return nil, err
	}
	c.event.Request = s.incarnation.record(info, body)
	r := &apiRequest{Request: req.WithContext(ctx), info: info, body: body, operation: c, next: s.next}
	resp, err := r.send() //nolint:contextcheck // the request has the context
	if err != nil {
		c.exit(transportOutcome(err), err.Error())
		return nil, err
	}
	if r.streams(resp) {
		resp.Body = newStream(r, resp.Body)
		c.record(journal.OutcomeOK, "")
		return resp, nil
	}
	return r.finish(resp)
}

type apiRequest struct {
	*http.Request

	info      *request.RequestInfo
	body      []byte
	operation *operation
	next      http.RoundTripper
}

// pass sends the request to the API server. It may be called more than once.
func (r *apiRequest) pass() (*http.Response, error) {
	req := r.Clone(r.Context())
	acceptJSON(req.Header)
	if r.body != nil {
		req.Body = io.NopCloser(bytes.NewReader(r.body))
	}
	return r.next.RoundTrip(req)
}

// streams reports whether the response is a watch.
func (r *apiRequest) streams(resp *http.Response) bool {
	return r.info.Verb == "watch" && resp.StatusCode == http.StatusOK && !r.operation.losesReply()
}

// finish reads the response as part of the operation. A component that is fenced meanwhile does not
// receive it.
func (r *apiRequest) finish(resp *http.Response) (*http.Response, error) {
	c := r.operation
	body, err := readResponse(resp)
	if err != nil {
		c.exit(transportOutcome(err), err.Error())
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		c.exit(statusOutcome(resp, body))
		return resp, nil
	}
	if isJSON(resp.Header) && r.info.IsResourceRequest && r.info.Verb != "list" {
		c.event.Response = c.incarnation.record(r.info, body)
	}
	c.exit(journal.OutcomeOK, "")
	return resp, nil
}

// readResponse reads a body, and replaces it so that it can be read again.
func readResponse(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return body, nil
}

func readRequest(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	if closeErr := req.Body.Close(); err == nil {
		err = closeErr
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

var requestInfos = request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

func parse(req *http.Request) *request.RequestInfo {
	info, err := requestInfos.NewRequestInfo(req)
	if err != nil { // not a path of the API
		return &request.RequestInfo{Verb: req.Method, Path: req.URL.Path}
	}
	return info
}

// operationOf names a request; see journal.SeamAPI.
func operationOf(info *request.RequestInfo, body []byte) journal.Operation {
	if !info.IsResourceRequest {
		return journal.Operation{Name: info.Verb + " " + info.Path}
	}
	op := journal.Operation{Name: info.Verb + " " + info.Resource, Subject: info.Name}
	if info.Subresource != "" {
		op.Name += "/" + info.Subresource
	}
	if op.Subject == "" && info.Verb == "create" {
		op.Subject = nameOf(body)
	}
	if info.Namespace != "" && op.Subject != "" {
		op.Subject = info.Namespace + "/" + op.Subject
	}
	return op
}

// nameOf returns the name of the object in a create request.
func nameOf(body []byte) string {
	var object metav1.PartialObjectMetadata
	if json.Unmarshal(body, &object) != nil {
		return ""
	}
	if object.Name == "" {
		return object.GenerateName
	}
	return object.Name
}
