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

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
)

// TryKey reports whether the S3 store, or the GCS or Azure service, accepts a key: for the list of the
// objects of a bucket or to write one, or without a bucket for the list of buckets. It writes
// nothing. The requests are past the seams: they are not in the journal.
func (e *Emulator) TryKey(ctx context.Context, key IssuedKey, bucket string) (bool, error) {
	if e.store == nil {
		return false, nil
	}
	opened, err := e.tryS3(ctx, key, bucket)
	if opened || err != nil || key.SessionToken != "" {
		return opened, err
	}
	if e.gcs != nil {
		if opened, err = e.tryGCS(ctx, key, bucket); opened || err != nil {
			return opened, err
		}
	}
	if e.azure != nil {
		return e.tryAzure(ctx, key, bucket)
	}
	return false, nil
}

func (e *Emulator) tryS3(ctx context.Context, key IssuedKey, bucket string) (bool, error) {
	opened, err := e.tryRequest(ctx, key, bucket, "")
	if opened || err != nil || bucket == "" {
		return opened, err
	}
	return e.tryRequest(ctx, key, bucket, "uploads") // S3 lists them to keys that may write
}

// keyTrial is the object that TryKey does not write.
const keyTrial = "cosi-emu-key-trial"

// tryRequest reports whether S3 accepts a request for a list.
func (e *Emulator) tryRequest(ctx context.Context, key IssuedKey, bucket, query string) (bool, error) {
	target, err := url.Parse(e.info.S3Endpoint)
	if err != nil {
		return false, err
	}
	target = target.JoinPath("/", bucket)
	target.RawQuery = query
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return false, err
	}
	request.RemoteAddr, request.RequestURI = controlplane.Loopback+":0", request.URL.RequestURI()
	empty := sha256.Sum256(nil)
	hash := hex.EncodeToString(empty[:])
	request.Header.Set("X-Amz-Content-Sha256", hash)
	credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.Secret, SessionToken: key.SessionToken}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, request, hash, "s3", e.store.Region(), time.Now()); err != nil {
		return false, fmt.Errorf("sign a request for %s: %w", target, err)
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
