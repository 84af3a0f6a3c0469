package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// transport applies the mutations of API requests.
type transport struct {
	*mutator

	next http.RoundTripper
}

// WrappedRoundTripper returns the wrapped transport for client-go.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	operation := operationOf(r)
	if operation == "" {
		return t.next.RoundTrip(r)
	}
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	for _, h := range t.held {
		if h.write == operation && strings.Contains(string(body), h.with) {
			return t.hold(r, body, h.until)
		}
	}
	if t.isDropped(r, body) {
		return t.pretend(r, body)
	}
	if t.leaksSecret {
		body = t.leakSecret(operation, r, body)
	}
	response, err := t.next.RoundTrip(r)
	failed := err != nil || response.StatusCode >= http.StatusBadRequest
	if !failed {
		t.writeForeign(operation, r)
	}
	t.done(operation)
	if !failed || !t.ignores(operation) {
		return response, err
	}
	return t.ignore(r, body, response, err)
}

// ignore turns a failure into success.
func (t *transport) ignore(r *http.Request, body []byte, response *http.Response, err error) (*http.Response, error) {
	if err == nil {
		defer func() { _ = response.Body.Close() }()
	}
	if err != nil || response.StatusCode != http.StatusConflict {
		t.dropWrite(r, body)
	}
	return t.pretend(r, body)
}

// writeForeign executes the additional writes after an operation.
func (t *transport) writeForeign(operation string, after *http.Request) {
	for _, e := range t.extra {
		if e.after == operation {
			e.write(after.Context(), t.next, after)
		}
	}
}

func bodyOf(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

// hold responds to a write at once, and executes it later, for any version of the object.
func (t *transport) hold(r *http.Request, body []byte, until string) (*http.Response, error) {
	response, err := t.pretend(r, body)
	if err != nil {
		return nil, err
	}
	later := withBody(r.Clone(context.WithoutCancel(r.Context())), withoutVersion(body))
	t.postpone(until, func() {
		if response, err := t.next.RoundTrip(later); err == nil {
			_ = response.Body.Close()
		}
	})
	return response, nil
}

func withBody(r *http.Request, body []byte) *http.Request {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return r
}

// withoutVersion removes the resource version from a patch, or from the preconditions of a
// deletion.
func withoutVersion(body []byte) []byte {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	for _, name := range []string{"metadata", "preconditions"} {
		if inner, ok := fields[name].(map[string]any); ok {
			delete(inner, "resourceVersion")
		}
	}
	changed, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return changed
}

// pretend responds to a write with the object that it would produce.
func (t *transport) pretend(r *http.Request, body []byte) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		return answer(r, []byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`)), nil
	}
	object, err := read(r.Context(), t.next, r)
	if err != nil {
		return nil, err
	}
	merged, err := jsonpatch.MergePatch(object, withoutVersion(body))
	if err != nil {
		return nil, err
	}
	return answer(r, merged), nil
}

func answer(r *http.Request, body []byte) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(body))}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
}
