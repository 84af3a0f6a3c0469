package store_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestPanic makes the store panic, by its clock.
func TestPanic(t *testing.T) {
	var broken atomic.Bool
	s, c := s3test.Fixture(t, s3test.Options{Now: func() time.Time {
		if broken.Load() {
			panic("the clock is broken")
		}
		return time.Now()
	}})
	in := s3test.Signed{
		Method: http.MethodGet, Path: "/photos", Credentials: s.Account(t, "app", s3test.ReadWrite("photos")),
		Region: s.Region(), Service: "s3", At: time.Now(),
	}
	broken.Store(true)
	if status, body := in.Send(t, s); status != http.StatusInternalServerError || s3test.Code(t, body) != "InternalError" {
		t.Errorf("answer %d: %s", status, body)
	}
	broken.Store(false)
	s3test.Put(t, c, "k", "the store lives on")
}

// half sends the head of a signed request and only a part of its declared body, and returns the
// response.
func half(t *testing.T, s *s3test.Server, c fakedriver.Credentials, declared int64) string {
	t.Helper()
	in := s3test.Signed{
		Method: http.MethodPut, Path: "/photos/k", Credentials: c, Region: s.Region(), Service: "s3", At: time.Now(),
		Before: func(r *http.Request) {
			r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("")), declared
		},
	}
	r := in.Request(t, s)
	conn := s.Dial(t)
	if err := conn.SetDeadline(time.Now().Add(harness.Timeout)); err != nil {
		t.Fatal(err)
	}
	var head strings.Builder
	fmt.Fprintf(&head, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", r.URL.Path, r.URL.Host, declared)
	for name, values := range r.Header {
		fmt.Fprintf(&head, "%s: %s\r\n", name, values[0])
	}
	if _, err := conn.Write([]byte(head.String() + "\r\nhalf")); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return s3test.Code(t, string(body))
}

func TestDeclaredLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := s3test.ServeInMemory(t, s3test.Options{MaxBodyBytes: 1 << 40, BodyTimeout: time.Second})
		s.Bucket(t, "photos")
		app := s.Account(t, "app", s3test.ReadWrite("photos"))
		if got := half(t, s, app, 1<<50); got != "EntityTooLarge" {
			t.Errorf("a body over the limit: %s", got)
		}
		allocated := func(declared int64) uint64 {
			before := s3test.Heap().TotalAlloc
			if got := half(t, s, app, declared); got != "RequestTimeout" {
				t.Errorf("a body of %d bytes that never comes: %s", declared, got)
			}
			return s3test.Heap().TotalAlloc - before
		}
		allocated(1 << 10) // and the overhead of the first request
		little, much := allocated(1<<10), allocated(1<<39)
		t.Logf("%d and %d bytes were allocated", little, much)
		if much > 4*little {
			t.Errorf("%d bytes were allocated for 4 that came of 1<<39, and %d for 4 of 1<<10", much, little)
		}
	})
}

// TestAnswerNotRead is a client that requests much and reads nothing.
func TestAnswerNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = time.Second
		s := s3test.ServeInMemory(t, s3test.Options{BodyTimeout: limit})
		c := s.App(t)
		s3test.Put(t, c, "big", strings.Repeat("x", 1<<20))
		presigned, err := s3.NewPresignClient(c).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("big")})
		if err != nil {
			t.Fatal(err)
		}
		conn := s.Dial(t)
		began := time.Now()
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: store.test\r\n\r\n", strings.TrimPrefix(presigned.URL, s.URL)); err != nil {
			t.Fatal(err)
		}
		status := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(conn, status); err != nil || !strings.HasSuffix(string(status), "200") {
			t.Fatalf("answer %q, %v", status, err)
		}
		if err := s.Close(); err != nil { // waits for the request
			t.Fatal(err)
		}
		// The end of the server would wait for 5 seconds.
		if took := time.Since(began); took > 2*limit {
			t.Errorf("the request was ended after %s, by the server's end and not by its deadline", took)
		}
	})
}
