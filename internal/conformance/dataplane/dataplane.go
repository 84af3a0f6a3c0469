// Package dataplane uses the credentials that a driver returned in real requests. Only a successful
// request proves that a credential works.
package dataplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	smithyhttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// Client uses one credential on one bucket.
type Client interface {
	// Put writes an object, Get reads it, and Delete deletes it.
	Put(ctx context.Context, object string, content []byte) error
	Get(ctx context.Context, object string) ([]byte, error)
	Delete(ctx context.Context, object string) error
	// List lists the objects of the bucket, if the client supports it.
	List(ctx context.Context) error
	// Close ends the client's connections.
	Close()
}

// ErrDenied means that the store rejected the request because of the credential.
var ErrDenied = errors.New("access denied")

// IsAnswer reports whether a store answered a request at all. Otherwise an error is about the way
// to the store, and not about the credential.
func IsAnswer(err error) bool {
	s3, ok := errors.AsType[*smithyhttp.ResponseError](err)
	_, other := errors.AsType[*rejection](err)
	// The SDK also returns this error for a request that was not sent, but then without a status.
	return err == nil || ok && s3.HTTPStatusCode() != 0 || other
}

// ReachesBucket reports whether a store answered about a bucket that it has. That it has none of the name is true for all credentials.
func ReachesBucket(err error) bool {
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok { // of several names of the bucket
		return slices.ContainsFunc(joined.Unwrap(), ReachesBucket)
	}
	s3, isS3 := errors.AsType[smithy.APIError](err)
	other, isOther := errors.AsType[*rejection](err)
	if isS3 && slices.Contains(noBucket, s3.ErrorCode()) || isOther && other.noBucket {
		return false
	}
	return IsAnswer(err)
}

// noBucket are the codes of S3 and of the XML API of GCS, and of Azure.
var noBucket = []string{"NoSuchBucket", "ContainerNotFound"}

// rejection is a store's refusal.
type rejection struct {
	operation string
	status    int
	noBucket  bool
}

// Error implements the error interface. It omits the store's text, which may repeat the signed
// request.
func (r *rejection) Error() string {
	return fmt.Sprintf("%s: %d %s", r.operation, r.status, http.StatusText(r.status))
}

// Is implements errors.Is for ErrDenied.
func (r *rejection) Is(target error) bool { return target == ErrDenied && isDenied(r.status) }

func isDenied(status int) bool {
	return status == http.StatusForbidden || status == http.StatusUnauthorized
}

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
		hasCode := func(code string) bool { return bytes.Contains(body, []byte("<Code>"+code+"</Code>")) }
		return nil, &rejection{operation, response.StatusCode, slices.ContainsFunc(noBucket, hasCode)}
	}
	return body, nil
}

func newTransport() *http.Transport { return &http.Transport{Proxy: http.ProxyFromEnvironment} }
