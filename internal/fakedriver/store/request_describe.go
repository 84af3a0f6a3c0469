package store

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3op"
)

// Request is what an HTTP request asks of S3.
type Request struct {
	// Operation is S3's name of the operation, for example PutObject; empty if
	// the store knows none such.
	Operation string
	// Bucket and Key are empty where the operation has none.
	Bucket, Key string
}

// Describe returns what a request asks for, without looking at who asks. It is
// for recording requests, and for choosing some of them.
func (s *Store) Describe(r *http.Request) Request {
	if s.hosts.isSTS(r) {
		return Request{Operation: assumeRole}
	}
	bucket, key, err := s.hosts.locate(r)
	if err != nil {
		return Request{}
	}
	described := Request{Bucket: bucket, Key: key}
	operation, err := s3op.Classify(r.Method, levelOf(bucket, key), r.URL.Query(), r.Header)
	if err == nil {
		described.Operation = operation.Name
	}
	return described
}
