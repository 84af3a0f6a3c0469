package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// slowClient opens a connection, sends something at once, and then the rest byte by byte, one at a
// tick.
type slowClient struct {
	name  string
	first string
	rest  string
}

// TestSlowConnections is about 1,000 idle or nearly idle connections. A client works meanwhile, and
// the server ends them.
func TestSlowConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = time.Second
		s := s3test.ServeInMemory(t, s3test.Options{HeaderTimeout: limit, IdleTimeout: limit, BodyTimeout: limit, MinRate: 1 << 10})
		c := s.App(t)
		s3test.Put(t, c, "k", "before")
		clients := slowClients(t, s)
		var slow sync.WaitGroup
		for i := range 1000 {
			slow.Go(func() { clients[i%len(clients)].run(t, s) })
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			slow.Wait()
		}()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for n, done := 0, false; !done; n++ {
			began := time.Now()
			s3test.Put(t, c, "k", fmt.Sprint(n))
			if got := s3test.Get(t, c, "k"); got != fmt.Sprint(n) {
				t.Fatalf("GetObject() = %q, want %d", got, n)
			}
			// The bubble's clock stands still while any goroutine can run, so the working client
			// waits for no other.
			if took := time.Since(began); took > 0 {
				t.Errorf("the client that works was held up for %s", took)
			}
			select {
			case <-ended:
				done = true
			case <-tick.C:
			}
		}
	})
}

func slowClients(t *testing.T, s *s3test.Server) []slowClient {
	t.Helper()
	in := s3test.Signed{
		Method: http.MethodPut, Path: "/photos/slow", Credentials: s.Account(t, "app", s3test.ReadWrite("photos")),
		Region: s.Region(), Service: "s3", At: time.Now(),
		Before: func(r *http.Request) {
			r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
			r.ContentLength = 1 << 20
		},
	}
	upload := string(in.Wire(t, s).Bytes())
	drip := strings.Repeat("x", 1<<20)
	return []slowClient{
		{name: "that sends nothing"},
		{name: "that is idle after a request", first: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
		{name: "that dribbles a head", first: "GET / HTTP/1.1\r\nHost: a\r\nCookie: ", rest: drip},
		{name: "that dribbles a body", first: upload, rest: drip},
		{name: "that dribbles a body that was rejected", first: strings.Replace(upload, "Signature=", "Signature=0", 1), rest: drip},
		{name: "that dribbles requests", first: "G", rest: strings.Repeat("ET / HTTP/1.1\r\nHost: a\r\n\r\nG", 1000)},
	}
}

// run returns when the server has ended the connection.
func (c slowClient) run(t *testing.T, s *s3test.Server) {
	t.Helper()
	conn, err := s.Open(t.Context())
	if err != nil {
		t.Errorf("a client %s cannot connect: %v", c.name, err)
		return
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(s3test.Patience)); err != nil {
		t.Error(err)
	}
	gone := make(chan struct{})
	var drip sync.WaitGroup
	drip.Go(func() { c.send(conn, gone) })
	_, err = io.Copy(io.Discard, conn)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Errorf("the connection of a client %s was not ended in %s", c.name, s3test.Patience)
	}
	close(gone)
	drip.Wait()
}

func (c slowClient) send(conn net.Conn, gone <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	next := c.first
	for i := 0; ; i++ {
		if _, err := io.WriteString(conn, next); err != nil {
			return
		}
		if i >= len(c.rest) {
			return
		}
		next = c.rest[i : i+1]
		select {
		case <-tick.C:
		case <-gone:
			return
		}
	}
}

// TestSlowReader: a client that is slow and makes progress receives all of an object.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, rate = 512 << 10, 2 << 10 // bytes, and bytes per second
		s := s3test.ServeInMemory(t, s3test.Options{})
		c := s.App(t)
		s3test.Put(t, c, "k", strings.Repeat("x", size))
		in := s3test.Signed{
			Method: http.MethodGet, Path: "/photos/k", Credentials: s.Account(t, "reader", s3test.ReadWrite("photos")),
			Region: s.Region(), Service: "s3", At: time.Now(),
		}
		conn, err := s.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := conn.Write(in.Wire(t, s).Bytes()); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		second := time.NewTicker(time.Second)
		defer second.Stop()
		for received := 0; received < size; {
			<-second.C
			n, err := io.CopyN(io.Discard, response.Body, rate)
			if received += int(n); err != nil {
				t.Fatalf("the connection ended after %d of %d bytes: %v", received, size, err)
			}
		}
	})
}
