package emulator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// TryKey reports whether the S3 store accepts a key: for the list of the objects of a
// bucket, or without one for the list of buckets. The request is past the seams: it is not
// in the journal.
func (e *Emulator) TryKey(ctx context.Context, key IssuedKey, bucket string) (bool, error) {
	if e.store == nil {
		return false, nil
	}
	target, err := url.Parse(e.info.S3Endpoint)
	if err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.JoinPath("/", bucket).String(), http.NoBody)
	if err != nil {
		return false, err
	}
	request.RemoteAddr, request.RequestURI = loopback+":0", request.URL.RequestURI()
	empty := sha256.Sum256(nil)
	hash := hex.EncodeToString(empty[:])
	request.Header.Set("X-Amz-Content-Sha256", hash)
	credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.Secret}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, request, hash, "s3", e.store.Region(), time.Now()); err != nil {
		return false, fmt.Errorf("sign a request for bucket %s: %w", bucket, err)
	}
	answer := &status{header: http.Header{}}
	e.store.Unwrapped().ServeHTTP(answer, request)
	return answer.code < http.StatusMultipleChoices, nil
}

// status is a response of which only the status code matters.
type status struct {
	header http.Header
	code   int
}

// Header implements http.ResponseWriter.
func (s *status) Header() http.Header { return s.header }

// WriteHeader implements http.ResponseWriter.
func (s *status) WriteHeader(code int) {
	if s.code == 0 {
		s.code = code
	}
}

// Write implements http.ResponseWriter.
func (s *status) Write(body []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return len(body), nil
}
