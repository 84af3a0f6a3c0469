package emulator

import (
	"context"
	"net/http"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/signing"
)

// TryKey reports whether the S3 store, or the GCS or Azure service, accepts a key, to list the
// objects of a bucket or to write one, or without a bucket to list the buckets. It writes nothing.
// The requests bypass the seams, and are not in the journal.
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
	return tryLists(ctx, e.store.Unwrapped(), e.info.S3Endpoint, e.store.Region(), key, bucket)
}

// tryGCS tries a key at the XML API, which applications use.
func (e *Emulator) tryGCS(ctx context.Context, key IssuedKey, bucket string) (bool, error) {
	return tryLists(ctx, e.gcs.Unwrapped(), e.info.GCSEndpoint, signing.GoogleRegion, key, bucket)
}

// tryLists reports whether S3, or a service with its protocol, accepts a request for a list.
func tryLists(ctx context.Context, service http.Handler, endpoint, region string, key IssuedKey, bucket string) (bool, error) {
	queries := []string{""}
	if bucket != "" {
		queries = append(queries, "uploads") // also allowed for keys that may write
	}
	for _, query := range queries {
		if opened, err := tryList(ctx, service, endpoint, region, key, bucket, query); opened || err != nil {
			return opened, err
		}
	}
	return false, nil
}

func tryList(ctx context.Context, service http.Handler, endpoint, region string, key IssuedKey, bucket, query string) (bool, error) {
	target, err := url.Parse(endpoint)
	if err != nil {
		return false, err
	}
	target = target.JoinPath("/" + bucket) // even without a bucket, the signed path is a slash
	target.RawQuery = query
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return false, err
	}
	request.RemoteAddr, request.RequestURI = controlplane.Loopback+":0", request.URL.RequestURI()
	credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.Secret, SessionToken: key.SessionToken}
	if err := signing.Sign(request, credentials, region, nil); err != nil {
		return false, err
	}
	answer := &status{header: http.Header{}}
	service.ServeHTTP(answer, request)
	return answer.code < http.StatusMultipleChoices, nil
}

// status records the status code of a response.
type status struct {
	header http.Header
	code   int
}

func (s *status) Header() http.Header { return s.header }

func (s *status) WriteHeader(code int) {
	if s.code == 0 {
		s.code = code
	}
}

func (s *status) Write(body []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return len(body), nil
}
