package store_test

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

// wire is a request in bytes, in which everything can be wrong.
type wire struct {
	method, target string
	header         []string // lines
	body           string
}

func (in signed) wire(t *testing.T, s *server) wire {
	t.Helper()
	r := in.request(t, s)
	w := wire{method: r.Method, target: r.URL.RequestURI(), header: []string{"Host: " + r.Host}, body: in.body}
	if r.ContentLength > 0 {
		w.header = append(w.header, fmt.Sprintf("Content-Length: %d", r.ContentLength))
	}
	for name, values := range r.Header {
		for _, value := range values {
			w.header = append(w.header, name+": "+value)
		}
	}
	return w
}

func (w wire) set(name, value string) wire {
	return w.without(name).with(name + ": " + value)
}

func (w wire) with(line string) wire {
	w.header = append(slices.Clone(w.header), line)
	return w
}

func (w wire) without(name string) wire {
	w.header = slices.DeleteFunc(slices.Clone(w.header), func(line string) bool {
		return strings.EqualFold(line[:strings.IndexByte(line, ':')], name)
	})
	return w
}

func (w wire) get(name string) string {
	for _, line := range w.header {
		if found, value, _ := strings.Cut(line, ": "); strings.EqualFold(found, name) {
			return value
		}
	}
	return ""
}

func (w wire) bytes() []byte {
	return []byte(w.method + " " + w.target + " HTTP/1.1\r\n" + strings.Join(w.header, "\r\n") + "\r\n\r\n" + w.body)
}

// patience is the time for the server to answer and to end the connection.
const patience = 20 * time.Second

// exchangeBytes sends bytes on a connection of their own, and returns the response when the server
// has ended the connection.
func exchangeBytes(t *testing.T, s *server, request []byte) (status int, answer string) {
	t.Helper()
	conn, err := s.open(t.Context())
	if err != nil {
		t.Errorf("cannot connect: %v", err)
		return 0, ""
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Errorf("cannot set a deadline: %v", err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = conn.Write(request) // the server need not read all of it
	}()
	all, err := io.ReadAll(conn)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Errorf("the connection was not ended in %s; so far: %.200q", patience, all)
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

func codeOf(body string) string {
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
