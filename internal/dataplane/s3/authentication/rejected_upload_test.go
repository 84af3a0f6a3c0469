package authentication_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestRejectedUpload sends all of a large body before it reads the response, as simple clients do:
// the response must be the rejection, not a reset connection, and the connection must be usable for
// another request.
func TestRejectedUpload(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(harness.Timeout)); err != nil {
		t.Fatal(err)
	}
	const size = 16 << 20
	answers := bufio.NewReader(conn)
	for range 2 {
		_, _ = fmt.Fprintf(conn, "PUT /photos/k HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", size)
		if _, err := io.Copy(conn, bytes.NewReader(make([]byte, size))); err != nil {
			t.Fatalf("the upload was cut off: %v", err)
		}
		response, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if got := s3test.Code(t, string(body)); response.StatusCode != http.StatusForbidden || err != nil {
			t.Errorf("answer %d %s, %v", response.StatusCode, got, err)
		}
	}
}
