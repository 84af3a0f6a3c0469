package azure

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

const (
	// maxCalls and maxBatchBytes limit a batch.
	maxCalls      = 256
	maxBatchBytes = 4 << 20
)

// call is a request in a batch.
type call struct {
	id      string // the header Content-ID
	request *http.Request
}

// batch runs the calls in the body one after another. Each is authenticated, authorized and recorded
// like a separate request, and has a signature of its own. The response to an invalid batch has one
// part, without the ID of a call.
func (s *Service) batch(x *exchange) error {
	if x.header("Content-Type") == "" {
		return failure.ErrMissingHeader.Because("The header Content-Type is required.")
	}
	calls, failed := x.calls()
	x.Caller.Leave() // a call enters the gate itself, which a waiting revocation would prevent
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	if err := parts.SetBoundary("batchresponse_" + requestID()); err != nil {
		return err
	}
	for _, c := range calls {
		w := pipeline.NewRecorded()
		s.single.ServeHTTP(w, c.request)
		if err := addPart(parts, c.id, w); err != nil {
			return err
		}
	}
	if failed != nil {
		w := pipeline.NewRecorded()
		w.Header().Set("X-Ms-Request-Id", x.W.Header().Get("X-Ms-Request-Id"))
		failure.Of(failed).Write(w, x.R)
		if err := addPart(parts, "", w); err != nil {
			return err
		}
	}
	if err := parts.Close(); err != nil {
		return err
	}
	if err := x.Caller.Enter(); err != nil {
		return err
	}
	x.set("Content-Type", "multipart/mixed; boundary="+parts.Boundary())
	x.W.WriteHeader(http.StatusAccepted)
	_, _ = x.W.Write(body.Bytes()) // the client may have disconnected
	return nil
}

func addPart(parts *multipart.Writer, id string, response *pipeline.Recorded) error {
	header := textproto.MIMEHeader{"Content-Type": {"application/http"}}
	if id != "" {
		header["Content-ID"] = []string{id}
	}
	// Azure's client for JavaScript compares names of headers with their case.
	sent := response.Header()
	for name, values := range sent {
		if strings.HasPrefix(name, "X-Ms-") {
			delete(sent, name)
			sent[strings.ToLower(name)] = values
		}
	}
	part, err := parts.CreatePart(header)
	if err != nil {
		return err
	}
	return response.Send(part)
}

// calls reads the calls: either deletions, or changes of tiers.
func (x *exchange) calls() ([]call, error) {
	boundary, err := boundaryOf(x.header("Content-Type"))
	if err != nil {
		return nil, err
	}
	if x.body.document.Len() > maxBatchBytes {
		return nil, failure.ErrTooLarge
	}
	var calls []call
	kind := ""
	for parts := multipart.NewReader(&x.body.document, boundary); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, failure.ErrInvalidInput.Because("The body does not match its Content-Type.")
		}
		if len(calls) == maxCalls {
			return nil, failure.ErrTooManyCalls
		}
		made, next, err := x.call(part)
		if err != nil {
			return nil, err
		}
		if kind != "" && next != kind {
			return nil, failure.ErrInvalidInput.Because("All calls of a batch must be of one operation.")
		}
		calls, kind = append(calls, made), next
	}
	if len(calls) == 0 {
		return nil, failure.ErrInvalidInput.Because("The batch has no calls.")
	}
	return calls, nil
}

// boundaryOf returns the boundary of a Content-Type. Azure's clients may send one that is no token, and
// do not quote it.
func boundaryOf(contentType string) (boundary string, err error) {
	kind, parameters, _ := strings.Cut(contentType, ";")
	count := 0
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "boundary") {
			boundary, count = strings.Trim(strings.TrimSpace(value), `"`), count+1
		}
	}
	switch {
	case count > 1:
		return "", failure.ErrInvalidInput.Because("The Content-Type has more than one boundary.")
	case !strings.EqualFold(strings.TrimSpace(kind), "multipart/mixed") || boundary == "":
		return "", failure.ErrInvalidHeader.Because("The Content-Type must be multipart/mixed, with a boundary.")
	}
	return boundary, nil
}

// call reads a call, and returns the kind of its operation.
func (x *exchange) call(part *multipart.Part) (c call, kind string, err error) {
	// Some clients end a call after its last header.
	read, err := http.ReadRequest(bufio.NewReader(io.MultiReader(part, strings.NewReader("\r\n\r\n"))))
	if err != nil {
		return c, "", failure.ErrInvalidInput.Because("A call of the batch is no request of HTTP.")
	}
	r := read.WithContext(x.R.Context())
	r.Host, r.RemoteAddr, r.TLS, r.Body, r.ContentLength = x.R.Host, x.R.RemoteAddr, x.R.TLS, http.NoBody, 0
	r.Header.Set(versionHeader, x.header(versionHeader))
	t, err := locate(r.URL)
	if err != nil {
		return c, "", err
	}
	kind = r.Method + " " + r.URL.Query().Get("comp")
	switch {
	case kind != "DELETE " && kind != "PUT tier":
		return c, "", failure.ErrInvalidInput.Because("A batch only deletes blobs, or sets their tiers.")
	case t.container != x.target.container:
		return c, "", failure.ErrInvalidInput.Because("The blobs of a batch must be in its container.")
	}
	return call{part.Header.Get("Content-ID"), r}, kind, nil
}
