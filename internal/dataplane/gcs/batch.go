package gcs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

const (
	// maxCalls and maxBatchBytes limit a batch.
	maxCalls      = 100
	maxBatchBytes = 10 << 20
)

// call is a request in a batch.
type call struct {
	id      string // the header Content-ID
	request *http.Request
	failed  error // the call is invalid
}

// batch runs the calls in the body one after another. Each is authenticated, authorized and
// recorded like a separate request; without an Authorization header it has the batch's.
func (s *Service) batch(x *exchange) error {
	calls, err := s.calls(x)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for _, c := range calls {
		header := textproto.MIMEHeader{"Content-Type": {"application/http"}}
		if id := c.id; id != "" {
			header.Set("Content-ID", "<response-"+strings.TrimPrefix(id, "<"))
		}
		part, err := parts.CreatePart(header)
		if err != nil {
			return err
		}
		if err := s.run(c).Send(part); err != nil {
			return err
		}
	}
	if err := parts.Close(); err != nil {
		return err
	}
	if err := x.Caller.Enter(); err != nil {
		return err
	}
	x.W.Header().Set("Content-Type", "multipart/mixed; boundary="+parts.Boundary())
	x.W.WriteHeader(http.StatusOK)
	_, _ = x.W.Write(body.Bytes()) // the client may have disconnected
	return nil
}

// calls reads the calls. An error in one of them is its result, and no error of the batch.
func (s *Service) calls(x *exchange) (calls []call, err error) {
	kind, parameters, err := mime.ParseMediaType(x.R.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/mixed" || parameters["boundary"] == "" {
		return nil, failure.ErrInvalid.With("The Content-Type must be multipart/mixed, with a boundary")
	}
	for parts := multipart.NewReader(&x.body.document, parameters["boundary"]); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, failure.ErrInvalid.With("The body does not match its Content-Type")
		}
		if len(calls) == maxCalls {
			return nil, failure.ErrInvalid.With("A batch has at most 100 calls")
		}
		calls = append(calls, x.call(part))
	}
	if len(calls) == 0 {
		return nil, failure.ErrInvalid.With("The batch has no calls")
	}
	return calls, nil
}

func (x *exchange) call(part *multipart.Part) call {
	c := call{id: part.Header.Get("Content-ID")}
	in := bufio.NewReader(part)
	line, err := in.ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) < 2 || len(fields) > 3 {
		c.failed = failure.ErrInvalid.With("The call does not begin with a method and a path")
		return c
	}
	target, err := url.ParseRequestURI(fields[1])
	if err != nil {
		c.failed = failure.ErrInvalid.With("The path of the call is not valid")
		return c
	}
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		c.failed = failure.ErrInvalid.With("The headers of the call are not valid")
		return c
	}
	body, err := io.ReadAll(in)
	if err != nil {
		c.failed = failure.ErrInvalid.With("The body ends within a call")
		return c
	}
	r := x.R.Clone(x.R.Context())
	r.Method, r.URL, r.RequestURI = fields[0], &url.URL{Path: target.Path, RawPath: target.RawPath, RawQuery: target.RawQuery}, ""
	r.RequestURI = r.URL.RequestURI()
	r.Header, r.Body, r.ContentLength = http.Header(header), io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if len(header["Authorization"]) == 0 {
		r.Header["Authorization"] = x.R.Header.Values("Authorization")
	}
	c.request, c.failed = r, checkCall(r)
	return c
}

// checkCall rejects contents of objects, and nested batches.
func checkCall(r *http.Request) error {
	t, err := locate(r)
	if err != nil {
		return err
	}
	switch t.level { //nolint:exhaustive // all others are allowed
	case levelMedia, levelUpload, levelBatch:
		return failure.ErrInvalid.With("A batch must not have uploads, downloads and other batches")
	}
	if r.URL.Query().Get("alt") == "media" {
		return failure.ErrInvalid.With("A batch must not have downloads")
	}
	return nil
}

func (s *Service) run(c call) *pipeline.Recorded {
	w := pipeline.NewRecorded()
	if c.failed != nil {
		failure.Of(c.failed).Write(w)
		return w
	}
	s.single.ServeHTTP(w, c.request)
	return w
}
