package keyring

import (
	"context"
	"net/http"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/signing"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// Try implements backend.Keys.
func (r *Ring) Try(ctx context.Context, key backend.IssuedKey, bucket string) (bool, error) {
	opened, err := r.S3.tryLists(ctx, key, bucket)
	if opened || err != nil || key.SessionToken != "" {
		return opened, err
	}
	if opened, err = r.GCS.tryLists(ctx, key, bucket); opened || err != nil { // at the XML API, which applications use
		return opened, err
	}
	return r.Azure.tryAzure(ctx, key, bucket)
}

// tryLists reports whether S3, or a service with its protocol, accepts a request for a list.
func (s Service) tryLists(ctx context.Context, key backend.IssuedKey, bucket string) (bool, error) {
	if s.Handler == nil {
		return false, nil
	}
	queries := []string{""}
	if bucket != "" {
		queries = append(queries, "uploads") // also allowed for keys that may write
	}
	for _, query := range queries {
		if opened, err := s.tryList(ctx, key, bucket, query); opened || err != nil {
			return opened, err
		}
	}
	return false, nil
}

func (s Service) tryList(ctx context.Context, key backend.IssuedKey, bucket, query string) (bool, error) {
	target, err := url.Parse(s.Endpoint)
	if err != nil {
		return false, err
	}
	target = target.JoinPath("/" + bucket) // even without a bucket, the signed path is a slash
	target.RawQuery = query
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return false, err
	}
	request.RemoteAddr, request.RequestURI = tcpport.Loopback+":0", request.URL.RequestURI()
	credentials := aws.Credentials{AccessKeyID: key.AccessKeyID, SecretAccessKey: key.Secret, SessionToken: key.SessionToken}
	if err := signing.Sign(request, credentials, s.Region, nil); err != nil {
		return false, err
	}
	answer := &status{header: http.Header{}}
	s.Handler.ServeHTTP(answer, request)
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
