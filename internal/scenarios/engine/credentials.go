package engine

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/emulator/hub"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/s3access"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// credentials are the contents of an application's Secret.
type credentials struct {
	client    *s3.Client
	bucket    string
	transport *http.Transport
	attempts  int // of each request
}

func (c *credentials) close() { c.transport.CloseIdleConnections() }

func (r *run) credentials(ctx context.Context, asked *spec.S3) (*credentials, error) {
	name, err := r.text(ctx, asked.Secret)
	if err != nil {
		return nil, err
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{}
	key.Namespace, key.Name = r.namespaceAndName(name)
	if err := r.engine.client.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read Secret/%s: %w", name, err)
	}
	values, err := hub.SecretData(secret)
	if err != nil {
		return nil, err
	}
	value := func(key string) string { return values[key] }
	options, transport, err := s3access.Options(value)
	if err != nil {
		return nil, fmt.Errorf("use Secret/%s: %w", name, err)
	}
	c := &credentials{
		bucket: value(v1alpha2.SecretKeyBucketName), transport: transport, attempts: max(1, r.engine.options.S3Attempts),
	}
	options.RetryMaxAttempts = c.attempts
	if !asked.Bucket.IsZero() {
		if c.bucket, err = r.text(ctx, asked.Bucket); err != nil {
			return nil, err
		}
	}
	if !asked.ServiceAccount.IsZero() {
		if options.Credentials, err = r.serviceAccountCredentials(ctx, asked, options); err != nil {
			return nil, err
		}
	}
	c.client = s3.New(options)
	return c, nil
}

// request sends a presigned request, with as many attempts as the SDK makes. It
// returns a rejection as an S3 error, like the SDK.
func (c *credentials) request(ctx context.Context, method, signed string, content []byte) (body string, err error) {
	pauses := wait.Backoff{Steps: c.attempts, Duration: firstPause, Factor: 2} //nolint:mnd // doubles each time
	_ = wait.ExponentialBackoffWithContext(ctx, pauses, func(ctx context.Context) (done bool, _ error) {
		var again bool
		body, again, err = c.requestOnce(ctx, method, signed, content)
		return !again, nil
	})
	return body, err
}

// firstPause is the delay before the first retry.
const firstPause = 200 * time.Millisecond

// requestOnce also returns whether a retry may succeed.
func (c *credentials) requestOnce(ctx context.Context, method, signed string, content []byte) (body string, again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, method, signed, bytes.NewReader(content))
	if err != nil {
		return "", false, unsigned(err)
	}
	response, err := (&http.Client{Transport: c.transport}).Do(request)
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
	return "", again, &smithy.GenericAPIError{Code: document.Code, Message: document.Message}
}

// unsigned removes the signature from an error, because the signature grants access.
func unsigned(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		failed.URL, _, _ = strings.Cut(failed.URL, "?")
	}
	return err
}
