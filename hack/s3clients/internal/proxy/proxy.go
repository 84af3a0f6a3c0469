// Package proxy is an HTTP proxy that knows one thing: a name that ends in
// .localhost is this machine (RFC 6761, section 6.3). It exists because not every
// system's resolver knows that, and virtual-host addresses depend on it.
package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"time"
)

const dialTimeout = 5 * time.Second

// Proxy is a running proxy.
type Proxy struct {
	// URL is what goes into HTTP_PROXY and HTTPS_PROXY.
	URL string

	server *http.Server
	done   sync.WaitGroup
}

// Start starts a proxy on a free port of 127.0.0.1.
func Start(ctx context.Context) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{URL: "http://" + listener.Addr().String()}
	forward := &httputil.ReverseProxy{
		// What arrives is in absolute form, and is sent on as it is.
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		Transport:     &http.Transport{DialContext: dial, DisableCompression: true},
		FlushInterval: -1,
	}
	p.server = &http.Server{
		ReadHeaderTimeout: dialTimeout,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodConnect:
				p.tunnel(w, r)
			case r.URL.IsAbs():
				forward.ServeHTTP(w, r)
			default:
				http.Error(w, "this is a proxy", http.StatusBadRequest)
			}
		}),
	}
	p.done.Go(func() { _ = p.server.Serve(listener) }) // it ends with Close
	return p, nil
}

// Needed reports whether this system does not know itself what the proxy knows.
func Needed(ctx context.Context) bool {
	addresses, err := net.DefaultResolver.LookupHost(ctx, "bucket.s3.localhost")
	return err != nil || !slices.Contains(addresses, "127.0.0.1")
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() error {
	err := p.server.Close()
	p.done.Wait()
	return err
}

// dial connects to this machine, and refuses to connect to any other.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host != "localhost" && !strings.HasSuffix(host, ".localhost") && !net.ParseIP(host).IsLoopback() {
		return nil, errors.New(host + " is not this machine")
	}
	return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}

func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	upstream, err := dial(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = upstream.Close() }()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(upstream, buffered)
		_ = upstream.Close()
	})
	_, _ = io.Copy(conn, upstream)
	_ = conn.Close()
	up.Wait()
}
