package gcs

import (
	"net/http"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
)

// Describe returns the operation of a request without authentication, for recording and selecting
// requests.
func (s *Service) Describe(r *http.Request) httpserver.Request {
	if isXML(r) {
		return s.describeXML(r)
	}
	r, err := overridden(r)
	if err != nil {
		return httpserver.Request{}
	}
	t, err := locate(r)
	if err != nil {
		return httpserver.Request{}
	}
	query := r.URL.Query()
	described := httpserver.Request{Bucket: t.bucket, Key: t.object}
	if t.level == levelUpload {
		described.Key = query.Get("name")
	}
	if op, err := classify(r.Method, t, query); err == nil {
		described.Operation = op.name
	}
	if described.Operation == insertResumable && r.Method == http.MethodPut && endsUpload(r.Header.Get("Content-Range")) {
		described.Operation = insert
	}
	return described
}

// Operations returns the names of all operations that Describe knows, sorted.
func Operations() []string {
	var names []string
	for _, known := range operations {
		names = append(names, known.name)
	}
	for _, name := range xmlOperations {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
