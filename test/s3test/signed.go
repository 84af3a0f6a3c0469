package s3test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// SetHeader returns a change of a request.
func SetHeader(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// Signed is a request on which everything can be changed, before and after the SDK's signer signs
// it.
type Signed struct {
	Method, Path, Body string
	Credentials        fakedriver.Credentials
	Region, Service    string
	At                 time.Time
	Before, After      func(*http.Request)
}

// Send sends the request, and returns the status and the body of the response.
func (in Signed) Send(t *testing.T, s *Server) (int, string) {
	t.Helper()
	r := in.Request(t, s)
	if in.After != nil {
		in.After(r)
	}
	return Do(t, r)
}

// Request returns the request, signed, before the change After.
func (in Signed) Request(t *testing.T, s *Server) *http.Request {
	t.Helper()
	r, err := in.Build(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Build is Request for any endpoint.
func (in Signed) Build(ctx context.Context, endpoint string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, in.Method, endpoint+in.Path, strings.NewReader(in.Body))
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(in.Body))
	r.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(digest[:]))
	if in.Before != nil {
		in.Before(r)
	}
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	credentials := aws.Credentials{AccessKeyID: in.Credentials.AccessKeyID, SecretAccessKey: in.Credentials.SecretAccessKey}
	err = signer.SignHTTP(ctx, credentials, r, r.Header.Get("X-Amz-Content-Sha256"), in.Service, in.Region, in.At)
	return r, err
}
