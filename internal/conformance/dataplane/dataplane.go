// Package dataplane uses the credentials that a driver returned, with real requests. What a
// driver says about a credential proves nothing until a request with it was answered.
package dataplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	smithyhttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Client uses one credential on one bucket.
type Client interface {
	// Put writes an object, Get reads it, and Delete deletes it.
	Put(ctx context.Context, object string, content []byte) error
	Get(ctx context.Context, object string) ([]byte, error)
	Delete(ctx context.Context, object string) error
	// List lists the objects of the bucket, if the client can do that.
	List(ctx context.Context) error
	// Close ends the client's connections.
	Close()
}

// ErrDenied means that the store rejected the request because of the credential.
var ErrDenied = errors.New("access denied")

// IsAnswer reports whether a store answered a request at all. Otherwise an error is about the
// way to the store, and not about the credential.
func IsAnswer(err error) bool {
	_, s3 := errors.AsType[*smithyhttp.ResponseError](err)
	_, other := errors.AsType[*rejection](err)
	return err == nil || s3 || other
}

// rejection is the answer of a store that did not do what it was asked.
type rejection struct {
	operation string
	status    int
}

// Error implements the error interface. It has no text of the store, which may repeat what
// was signed.
func (r *rejection) Error() string {
	return fmt.Sprintf("%s: %d %s", r.operation, r.status, http.StatusText(r.status))
}

// Is implements errors.Is for ErrDenied.
func (r *rejection) Is(target error) bool { return target == ErrDenied && isDenied(r.status) }

func isDenied(status int) bool {
	return status == http.StatusForbidden || status == http.StatusUnauthorized
}

// exchange sends a request, and returns the body of the answer.
func exchange(client *http.Client, operation string, request *http.Request) ([]byte, error) {
	response, err := client.Do(request)
	if err != nil {
		// The URL may be the credential.
		return nil, fmt.Errorf("%s: %w", operation, errors.Unwrap(err))
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", operation, err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return nil, &rejection{operation, response.StatusCode}
	}
	return body, nil
}

func newTransport() *http.Transport { return &http.Transport{Proxy: http.ProxyFromEnvironment} }
