package adminapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// Client controls an emulator of another process. It is safe for concurrent use.
type Client struct{ http *http.Client }

// NewClient returns a client for the socket of an emulator.
func NewClient(socket string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
	return &Client{&http.Client{Timeout: timeout, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}
}

// AddFault activates a fault. The error may wrap fault.ErrInvalid or fault.ErrDuplicate.
func (c *Client) AddFault(ctx context.Context, f fault.Fault) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, "/faults", body, nil)
}

// RemoveFault ends a fault. The error wraps fault.ErrUnknown for an unknown fault.
func (c *Client) RemoveFault(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, "/faults/"+url.PathEscape(name), nil, nil)
}

// ClearFaults ends all faults.
func (c *Client) ClearFaults(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/faults", nil, nil)
}

// Faults returns the active faults, in the order in which they were added.
func (c *Client) Faults(ctx context.Context) ([]fault.Status, error) {
	var all []fault.Status
	err := c.do(ctx, http.MethodGet, "/faults", nil, &all)
	return all, err
}

// OpenPage starts to serve the emulator's page, and returns its URL.
func (c *Client) OpenPage(ctx context.Context) (string, error) {
	var opened page
	err := c.do(ctx, http.MethodPost, "/page", nil, &opened)
	return opened.URL, err
}

func (c *Client) do(ctx context.Context, method, path string, body []byte, into any) (err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://emulator"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("ask the emulator: %w", errors.Unwrap(err)) // the outer error has a meaningless URL
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		return responseError(resp)
	case into != nil:
		return json.NewDecoder(resp.Body).Decode(into)
	}
	return nil
}

// requestError is an error of the emulator, with its text and its kind.
type requestError struct {
	message string
	kind    error
}

func (r *requestError) Error() string { return r.message }

func (r *requestError) Unwrap() error { return r.kind }

func responseError(resp *http.Response) error {
	said := problem{Message: "the emulator has answered " + resp.Status}
	_ = json.NewDecoder(resp.Body).Decode(&said) // otherwise keep the default
	r := &requestError{message: said.Message}
	for kind, code := range codes {
		if code == resp.StatusCode {
			r.kind = kind
		}
	}
	return r
}
