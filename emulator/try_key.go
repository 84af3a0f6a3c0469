package emulator

import (
	"bytes"
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
	listed, err := e.tryRequest(ctx, key, http.MethodGet, bucket)
	if err != nil || bucket == "" || listed.code < http.StatusMultipleChoices {
		return err == nil && listed.code < http.StatusMultipleChoices, err
	}
	// The condition does not hold, which S3 checks after the rights.
	written, err := e.tryRequest(ctx, key, http.MethodPut, bucket+"/"+keyTrial)
	return written.code == http.StatusPreconditionFailed || bytes.Contains(written.body, []byte("<Code>NoSuchKey</Code>")), err
}

// keyTrial is the object that TryKey does not write.
const keyTrial = "cosi-emu-key-trial"

// tryRequest makes a request, whose condition does not hold if it would write.
func (e *Emulator) tryRequest(ctx context.Context, key IssuedKey, method, path string) (*status, error) {
	answer := &status{header: http.Header{}}
	target, err := url.Parse(e.info.S3Endpoint)
	if err != nil {
		return answer, err
	}
	request, err := http.NewRequestWithContext(ctx, method, target.JoinPath("/", path).String(), http.NoBody)
	if err != nil {
		return answer, err
	}
	if method == http.MethodPut {
		request.Header.Set("If-Match", `"none"`)
	}
	request.RemoteAddr, request.RequestURI = controlplane.Loopback+":0", request.URL.RequestURI()
	empty := sha256.Sum256(nil)
	hash := hex.EncodeToString(empty[:])
	request.Header.Set("X-Amz-Content-Sha256", hash)
	credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.Secret, SessionToken: key.SessionToken}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, request, hash, "s3", e.store.Region(), time.Now()); err != nil {
		return answer, fmt.Errorf("sign a request for %s: %w", path, err)
	}
	e.store.Unwrapped().ServeHTTP(answer, request)
	return answer, nil
}

// status is a response of which only the status code and the code of the error matter.
type status struct {
	header http.Header
	code   int
	body   []byte // its beginning
}

// maxStatusBody is long enough to contain the code of an S3 error.
const maxStatusBody = 512

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
	s.body = append(s.body, body[:min(len(body), maxStatusBody-len(s.body))]...)
	return len(body), nil
}
