package s3

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/sts"
)

// Describe returns the operation of a request without authentication, for recording and selecting
// requests.
func (s *Service) Describe(r *http.Request) httpserver.Request {
	if s.isSTS(r) {
		return httpserver.Request{Operation: sts.Operation}
	}
	bucket, key, err := s.hosts.locate(r)
	if err != nil {
		return httpserver.Request{}
	}
	described := httpserver.Request{Bucket: bucket, Key: key}
	if isPreflight(r) {
		described.Operation = Preflight
		return described
	}
	query := r.URL.Query()
	if query.Has("X-Amz-Signature") {
		if r, query, err = hoisted(r, query); err != nil {
			return described
		}
	}
	operation, err := s3op.Classify(r.Method, levelOf(bucket, key), query, r.Header, s.dialect.Operations)
	if err == nil {
		described.Operation = operation.Name
	}
	return described
}

// isSTS reports whether a request is for STS. S3 has no POST to the service itself.
func (s *Service) isSTS(r *http.Request) bool {
	_, virtual := s.hosts.bucket(r.Host)
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return s.dialect.Protocol == fakedriver.ProtocolS3 && r.Method == http.MethodPost && r.URL.Path == "/" && !virtual &&
		strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded")
}

// Operations returns the names of all operations that Describe knows, sorted.
func Operations() []string {
	names := []string{sts.Operation, Preflight}
	for _, row := range s3op.Table() {
		names = append(names, row.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
