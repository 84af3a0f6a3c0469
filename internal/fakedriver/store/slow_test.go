package store_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// slowClient opens a connection, sends something at once, and then byte after byte
// of the rest, one at a tick.
type slowClient struct {
	name  string
	first string
	rest  string
}

// TestSlowConnections is about 1,000 connections that are idle, or on which
// hardly anything comes. A client works all the while, and the server ends them.
func TestSlowConnections(t *testing.T) {
	const limit = time.Second
	s, _ := fixture(t, store.Options{HeaderTimeout: limit, IdleTimeout: limit, BodyTimeout: limit, MinRate: 1 << 10})
	// The limits count for the client that works, too, and are short for it on a
	// machine that is busy with these tests. It tries again, as all clients do.
	c := s.client(t, s.account(t, "app", readWrite("photos")), func(o *s3.Options) { o.RetryMaxAttempts = 10 })
	put(t, c, "k", "before")
	goroutines := runtime.NumGoroutine()
	clients := slowClients(t, s)
	ended := make(chan struct{})
	var slow sync.WaitGroup
	for i := range 1000 {
		slow.Go(func() { clients[i%len(clients)].run(t, s) })
	}
	go func() {
		defer close(ended)
		slow.Wait()
	}()
	var took []time.Duration
	for done := false; !done; {
		began := time.Now()
		put(t, c, "k", fmt.Sprint(len(took)))
		if got := get(t, c, "k"); got != fmt.Sprint(len(took)) {
			t.Fatalf("GetObject() = %q, want %d", got, len(took))
		}
		took = append(took, time.Since(began))
		select {
		case <-ended:
			done = true
		default:
		}
	}
	slices.Sort(took)
	t.Logf("%d times put and got; median %s, longest %s", len(took), took[len(took)/2], took[len(took)-1])
	if longest := took[len(took)-1]; longest > 5*time.Second {
		t.Errorf("the client that works was held up for %s", longest)
	}
	settle(t, "goroutines", goroutines+2, runtime.NumGoroutine)
}

func slowClients(t *testing.T, s *server) []slowClient {
	t.Helper()
	in := signed{
		method: http.MethodPut, path: "/photos/slow", credentials: s.account(t, "app", readWrite("photos")),
		region: s.Region(), service: "s3", at: time.Now(),
		before: func(r *http.Request) {
			r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
			r.ContentLength = 1 << 20
		},
	}
	upload := string(in.wire(t, s).bytes())
	drip := strings.Repeat("x", 1<<20)
	return []slowClient{
		{name: "that sends nothing"},
		{name: "that is idle after a request", first: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
		{name: "that dribbles a head", first: "GET / HTTP/1.1\r\nHost: a\r\nCookie: ", rest: drip},
		{name: "that dribbles a body", first: upload, rest: drip},
		{name: "that dribbles a body that was refused", first: strings.Replace(upload, "Signature=", "Signature=0", 1), rest: drip},
		{name: "that dribbles requests", first: "G", rest: strings.Repeat("ET / HTTP/1.1\r\nHost: a\r\n\r\nG", 1000)},
	}
}

// run returns when the server has ended the connection.
func (c slowClient) run(t *testing.T, s *server) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Errorf("a client %s cannot connect: %v", c.name, err)
		return
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Error(err)
	}
	gone := make(chan struct{})
	var drip sync.WaitGroup
	drip.Go(func() { c.send(conn, gone) })
	_, err = io.Copy(io.Discard, conn)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Errorf("the connection of a client %s was not ended in %s", c.name, patience)
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
