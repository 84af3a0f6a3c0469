// Package signedurl sends requests whose URLs have a signature, such as presigned ones of S3.
package signedurl

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Sender sends requests whose URLs have a signature.
type Sender struct {
	Transport *http.Transport
	Attempts  int
}

// Close closes the idle connections.
func (s Sender) Close() { s.Transport.CloseIdleConnections() }

// Request sends a presigned request, with as many attempts as the SDK makes. It
// returns a rejection as an S3 error, like the SDK.
func (s Sender) Request(ctx context.Context, method, signed string, header http.Header, content []byte) (body string, err error) {
	pauses := wait.Backoff{Steps: s.Attempts, Duration: firstPause, Factor: 2}
	_ = wait.ExponentialBackoffWithContext(ctx, pauses, func(ctx context.Context) (done bool, _ error) {
		var again bool
		body, again, err = s.requestOnce(ctx, method, signed, header, content)
		return !again, nil
	})
	return body, err
}

// firstPause is the delay before the first retry.
const firstPause = 200 * time.Millisecond

// requestOnce also returns whether a retry may succeed.
func (s Sender) requestOnce(
	ctx context.Context, method, signed string, header http.Header, content []byte,
) (body string, again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, method, signed, bytes.NewReader(content))
	if err != nil {
		return "", false, unsigned(err)
	}
	maps.Copy(request.Header, header)
	response, err := (&http.Client{Transport: s.Transport}).Do(request)
	if err != nil {
		return "", ctx.Err() == nil, unsigned(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return "", ctx.Err() == nil, err
	}
	if response.StatusCode < http.StatusBadRequest {
		return string(answer), false, nil
	}
	again = response.StatusCode >= http.StatusInternalServerError
	var document struct {
		Code    string `xml:"Code"`
		Message string `xml:"Message"`
	}
	if err := xml.Unmarshal(answer, &document); err != nil {
		return "", again, fmt.Errorf("%s: %w", response.Status, err)
	}
	message, _, _ := strings.Cut(document.Message, "\n") // Azure adds the ID of the request, and the time
	return "", again, &smithy.GenericAPIError{Code: document.Code, Message: message}
}

// unsigned removes the signature from an error, because the signature grants access.
func unsigned(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		failed.URL, _, _ = strings.Cut(failed.URL, "?")
	}
	return err
}
