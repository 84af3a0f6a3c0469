package s3_test

import (
	"bufio"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestExpectEmpty reads the bytes on the wire: http.Transport does not wait with an empty body.
func TestExpectEmpty(t *testing.T) {
	s, _ := s3test.Fixture(t, s3test.Options{})
	app := s.Account(t, "app", s3test.ReadWrite("photos"))
	tests := map[string]struct {
		reason string
		body   string
		expect string
		want   []int
	}{
		"Empty":   {reason: "botocore is confused for its next request otherwise.", expect: "100-continue", want: []int{100, 200}},
		"Content": {reason: "Once is enough.", body: "content", expect: "100-continue", want: []int{100, 200}},
		"None":    {reason: "No client waits.", want: []int{200}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := s3test.Signed{
				Method: http.MethodPut, Path: "/photos/k", Body: tc.body, Credentials: app, Region: s.Region(), Service: "s3", At: time.Now(),
			}
			request := in.Wire(t, s)
			if tc.body == "" {
				request = request.Set("Content-Length", "0")
			}
			if tc.expect != "" {
				request = request.Set("Expect", tc.expect)
			}
			if got := statuses(t, s, request.Bytes(), len(tc.want)); !slices.Equal(got, tc.want) {
				t.Errorf("%s\nstatuses %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

func statuses(t *testing.T, s *s3test.Server, request []byte, count int) []int {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(s3test.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(request); err != nil {
		t.Fatal(err)
	}
	var got []int
	for reader := bufio.NewReader(conn); len(got) < count; {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		_ = response.Body.Close()
		got = append(got, response.StatusCode)
	}
	return got
}
