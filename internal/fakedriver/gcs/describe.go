package gcs

import (
	"net/http"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/httpserver"
)

// Describe returns what a request asks for, without looking at who asks. It is for
// recording requests, and for choosing some of them.
func (s *Service) Describe(r *http.Request) httpserver.Request {
	t, err := parseTarget(r)
	if err != nil {
		return httpserver.Request{}
	}
	described := httpserver.Request{Bucket: t.bucket, Key: t.object}
	if op, err := classify(r.Method, t, r.URL.Query()); err == nil {
		described.Operation = op.name
	}
	return described
}

// Operations returns the names of all operations that Describe knows, sorted.
func Operations() []string {
	var names []string
	for _, known := range operations {
		names = append(names, known.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
