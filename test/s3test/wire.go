package s3test

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Wire is a request in bytes, in which everything can be wrong.
type Wire struct {
	Method, Target string
	Header         []string // lines
	Body           string
}

// Wire returns the signed request.
func (in Signed) Wire(t *testing.T, s *Server) Wire {
	t.Helper()
	r := in.Request(t, s)
	w := Wire{Method: r.Method, Target: r.URL.RequestURI(), Header: []string{"Host: " + r.Host}, Body: in.Body}
	if r.ContentLength > 0 {
		w.Header = append(w.Header, fmt.Sprintf("Content-Length: %d", r.ContentLength))
	}
	for name, values := range r.Header {
		for _, value := range values {
			w.Header = append(w.Header, name+": "+value)
		}
	}
	return w
}

// Set replaces a header.
func (w Wire) Set(name, value string) Wire {
	return w.Without(name).With(name + ": " + value)
}

// With adds a line to the head.
func (w Wire) With(line string) Wire {
	w.Header = append(slices.Clone(w.Header), line)
	return w
}

// Without removes a header.
func (w Wire) Without(name string) Wire {
	w.Header = slices.DeleteFunc(slices.Clone(w.Header), func(line string) bool {
		return strings.EqualFold(line[:strings.IndexByte(line, ':')], name)
	})
	return w
}

// Get returns the value of a header.
func (w Wire) Get(name string) string {
	for _, line := range w.Header {
		if found, value, _ := strings.Cut(line, ": "); strings.EqualFold(found, name) {
			return value
		}
	}
	return ""
}

// Bytes returns the whole request.
func (w Wire) Bytes() []byte {
	return []byte(w.Method + " " + w.Target + " HTTP/1.1\r\n" + strings.Join(w.Header, "\r\n") + "\r\n\r\n" + w.Body)
}

// Patience is the time for the server to answer and to end the connection.
const Patience = 20 * time.Second

// ExchangeBytes sends bytes on a connection of their own, and returns the response when the server
// has ended the connection.
func ExchangeBytes(t *testing.T, s *Server, request []byte) (status int, answer string) {
	t.Helper()
	conn, err := s.Open(t.Context())
	if err != nil {
		t.Errorf("cannot connect: %v", err)
		return 0, ""
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		t.Errorf("cannot set a deadline: %v", err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = conn.Write(request) // the server need not read all of it
	}()
	all, err := io.ReadAll(conn)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Errorf("the connection was not ended in %s; so far: %.200q", Patience, all)
	}
	_ = conn.Close()
	<-written
	if len(all) == 0 {
		return 0, ""
	}
	method, _, _ := bytes.Cut(request, []byte(" "))
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(all)), &http.Request{Method: string(method)})
	if err != nil {
		t.Errorf("no answer that can be read: %v\n%.200q", err, all)
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body) // as much as possible
	return response.StatusCode, string(body)
}

// CodeOf returns the code of an error of S3 or STS; empty if the document is neither.
func CodeOf(body string) string {
	var document struct {
		XMLName xml.Name
		Code    string `xml:"Code"`
		Nested  string `xml:"Error>Code"`
	}
	if xml.Unmarshal([]byte(body), &document) != nil { //nolint:musttag // any name
		return ""
	}
	switch document.XMLName.Local {
	case "Error":
		return document.Code
	case "ErrorResponse":
		return document.Nested
	}
	return ""
}
