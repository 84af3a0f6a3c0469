// Package plain is an HTTP client that knows nothing of S3: what a presigned URL
// is handed to.
package plain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/secret"
)

// Do sends a request and returns status and body. It goes by way of
// proxy, unless that is empty.
func Do(given secret.Secret, proxy string, r *http.Request) (int, []byte, error) {
	transport, err := given.Transport(proxy)
	if err != nil {
		return 0, nil, err
	}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(r) //nolint:gosec // the URL is what a client has signed
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// Get fetches what a presigned URL is for and compares it, and sees that the URL
// is good for nothing else.
func Get(ctx context.Context, given secret.Secret, proxy, signed string, want []byte) error {
	status, got, err := get(ctx, given, proxy, signed)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("status %d: %s", status, got)
	}
	if err := check.Content(got, want); err != nil {
		return err
	}
	u, err := url.Parse(signed)
	if err != nil {
		return err
	}
	u.Path, u.RawPath = u.Path+"x", ""
	status, got, err = get(ctx, given, proxy, u.String())
	if err != nil {
		return err
	}
	if status != http.StatusForbidden {
		return fmt.Errorf("the signature is accepted for another key: status %d", status)
	}
	return check.Rejected(fmt.Errorf("%s", got), "SignatureDoesNotMatch")
}

func get(ctx context.Context, given secret.Secret, proxy, signed string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, signed, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	return Do(given, proxy, r)
}

// Rejected sees that a GET of a URL is rejected with a text.
func Rejected(ctx context.Context, given secret.Secret, proxy, signed, text string) error {
	status, got, err := get(ctx, given, proxy, signed)
	if err != nil {
		return err
	}
	if status < http.StatusBadRequest {
		return fmt.Errorf("the request was not denied: status %d", status)
	}
	return check.Rejected(fmt.Errorf("status %d: %s", status, got), text)
}

// Put writes content to a presigned URL, with the headers that were signed.
func Put(ctx context.Context, given secret.Secret, proxy, signed string, header http.Header, content []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, signed, bytes.NewReader(content))
	if err != nil {
		return err
	}
	for name, values := range header {
		if name != "Host" && name != "Content-Length" {
			r.Header[name] = values
		}
	}
	status, got, err := Do(given, proxy, r)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("status %d: %s", status, got)
	}
	return nil
}
