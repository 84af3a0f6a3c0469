package apiserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"k8s.io/apiserver/pkg/authentication/user"
)

// Local has the requests of this process served without a network. Its server may
// change: requests fail while there is none, as they fail when nothing listens on a port.
type Local struct {
	current atomic.Pointer[localServer]
}

type localServer struct {
	handler http.Handler
	// gone ends with the server, and with it all its requests.
	gone context.Context //nolint:containedctx // the life of the server, not of a call
}

// Serve has a handler serve the requests until the context ends, or until Refuse.
func (l *Local) Serve(ctx context.Context, handler http.Handler) {
	next := &localServer{handler, ctx}
	l.current.Store(next)
	context.AfterFunc(ctx, func() { l.current.CompareAndSwap(next, nil) })
}

// Refuse has further requests fail. Those that have begun go on.
func (l *Local) Refuse() { l.current.Store(nil) }

// Transport returns a transport that sends requests as a user.
func (l *Local) Transport(who user.Info) http.RoundTripper { return &localTransport{l, who} }

type localTransport struct {
	local *Local
	who   user.Info
}

// RoundTrip implements http.RoundTripper.
func (t *localTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	server := t.local.current.Load()
	if server == nil || server.gone.Err() != nil {
		closeBody(r)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	// The request's context ends with the client's, but has none of its values.
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), userKey{}, t.who))
	x := &exchange{head: make(chan struct{}), cancel: cancel, header: http.Header{}, body: newPipe()}
	x.endWith(r.Context(), server.gone)
	go x.serve(server.handler, incoming(ctx, r)) //nolint:contextcheck // the request has no values of the client
	<-x.head
	if err := x.failure(); err != nil {
		return nil, err
	}
	return x.response(r), nil
}

// CloseIdleConnections does nothing: there are no connections. Without it, client-go logs a
// warning.
func (*localTransport) CloseIdleConnections() {}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// incoming returns the request as its server sees it.
func incoming(ctx context.Context, r *http.Request) *http.Request {
	in := r.Clone(ctx)
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

// exchange is a request and its response. It is the http.ResponseWriter of the server.
type exchange struct {
	head    chan struct{} // closed when the status is known, or there will be none
	once    sync.Once
	cancel  context.CancelFunc
	release []func() bool
	body    *pipe

	header http.Header // of the handler until the status is known

	mu     sync.Mutex
	err    error
	status int
	sent   http.Header
}

var (
	_ http.ResponseWriter = &exchange{}
	_ http.Flusher        = &exchange{}
	_ http.CloseNotifier  = &exchange{} //nolint:staticcheck // watches require it
)

// endWith has the exchange end when its client gives up, and when its server stops.
func (x *exchange) endWith(client, server context.Context) {
	x.release = []func() bool{
		context.AfterFunc(client, func() { x.abort(context.Cause(client)) }),
		context.AfterFunc(server, func() { x.abort(io.ErrUnexpectedEOF) }),
	}
}

func (x *exchange) serve(handler http.Handler, in *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			x.abort(fmt.Errorf("the server ended the request: %v", p))
		}
		for _, release := range x.release {
			release()
		}
		_ = in.Body.Close()
		x.WriteHeader(http.StatusOK) // unless it has one
		x.body.end(io.EOF)
		x.cancel()
	}()
	handler.ServeHTTP(x, in)
}

// abort ends the exchange, as a connection that is lost.
func (x *exchange) abort(err error) {
	x.mu.Lock()
	if x.err == nil {
		x.err = err
	}
	x.mu.Unlock()
	x.cancel()
	x.body.end(err)
	x.once.Do(func() { close(x.head) })
}

// failure returns why there is no response.
func (x *exchange) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.status != 0 {
		return nil
	}
	return x.err
}

func (x *exchange) response(r *http.Request) *http.Response {
	x.mu.Lock()
	defer x.mu.Unlock()
	return &http.Response{
		Status: fmt.Sprintf("%d %s", x.status, http.StatusText(x.status)), StatusCode: x.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.sent, Body: &responseBody{x}, ContentLength: -1, Request: r,
	}
}

// Header implements http.ResponseWriter.
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.status != 0 || x.err != nil {
		return
	}
	x.status, x.sent = status, x.header.Clone()
	x.once.Do(func() { close(x.head) })
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(data []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	return x.body.write(data)
}

// Flush implements http.Flusher. The client can read every write at once.
func (x *exchange) Flush() { x.WriteHeader(http.StatusOK) }

// CloseNotify implements http.CloseNotifier. Nothing uses the result: the context of the
// request ends with its client.
func (x *exchange) CloseNotify() <-chan bool { return make(chan bool) }

// responseBody is the body that the client reads.
type responseBody struct{ exchange *exchange }

func (b *responseBody) Read(data []byte) (int, error) { return b.exchange.body.read(data) }

// Close ends the request, if it is still served.
func (b *responseBody) Close() error {
	b.exchange.abort(io.ErrClosedPipe)
	return nil
}

// pipeBytes is how far a server may be ahead of its client.
const pipeBytes = 1 << 20

// pipe passes the bytes of a response on. It has a buffer, so that a server need not wait
// for its client.
type pipe struct {
	mu      sync.Mutex
	changed *sync.Cond
	buffer  []byte
	err     error // of reads, once the buffer is empty
}

func newPipe() *pipe {
	p := &pipe{}
	p.changed = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.err == nil && len(p.buffer) >= pipeBytes {
		p.changed.Wait()
	}
	if p.err != nil {
		return 0, io.ErrClosedPipe
	}
	p.buffer = append(p.buffer, data...)
	p.changed.Broadcast()
	return len(data), nil
}

func (p *pipe) read(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.buffer) == 0 && p.err == nil {
		p.changed.Wait()
	}
	if len(p.buffer) == 0 {
		return 0, p.err
	}
	n := copy(data, p.buffer)
	p.buffer = p.buffer[n:]
	if len(p.buffer) == 0 {
		p.buffer = nil
	}
	p.changed.Broadcast()
	return n, nil
}

func (p *pipe) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		if err != io.EOF { //nolint:errorlint // it is passed as it is
			p.buffer = nil // a lost connection loses the bytes in flight
		}
		p.changed.Broadcast()
	}
}
