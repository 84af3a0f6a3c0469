package workload

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// clientTimeout is how long a request may take.
const clientTimeout = 30 * time.Second

// plain sends requests over connections that it keeps.
type plain struct {
	address   string
	transport *http.Transport
	client    *http.Client
}

func newPlain(address string) plain {
	transport := &http.Transport{MaxIdleConnsPerHost: Clients, IdleConnTimeout: time.Minute, DisableCompression: true}
	return plain{address, transport, &http.Client{Transport: transport, Timeout: clientTimeout}}
}

func (p plain) request(ctx context.Context, method string, target *url.URL, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, "", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	target.Scheme, target.Host = "http", p.address
	r.URL, r.Host = target, p.address
	return r, nil
}

// send returns the size of the answer in bytes. Any status but 200 and 201 is an error.
func (p plain) send(r *http.Request) (int64, error) { return p.receive(r, io.Discard) }

// receive is send, and writes the answer to a writer.
func (p plain) receive(r *http.Request, to io.Writer) (int64, error) {
	response, err := p.client.Do(r) //nolint:gosec // the server is on this machine
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated {
		const most = 512
		text, _ := io.ReadAll(io.LimitReader(response.Body, most))
		return 0, fmt.Errorf("%s %s answers %s: %s", r.Method, r.URL.Path, response.Status, text)
	}
	return io.Copy(to, response.Body)
}

// Close closes the connections.
func (p plain) Close() { p.transport.CloseIdleConnections() }
