// Package address reads the paths of the JSON API and of the XML API.
package address

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// Shape is the kind of a path.
type Shape string

// The shapes, each with a path as an example.
const (
	ShapeService   Shape = "service" // /storage/v1/b
	ShapeBucket    Shape = "bucket"  // /storage/v1/b/B
	ShapeObjects   Shape = "objects" // /storage/v1/b/B/o
	ShapeObject    Shape = "object"  // /storage/v1/b/B/o/O
	ShapeMedia     Shape = "media"
	ShapeUpload    Shape = "upload"    // /upload/storage/v1/b/B/o
	ShapeCompose   Shape = "compose"   // /storage/v1/b/B/o/O/compose
	ShapeCopy      Shape = "copy"      // /storage/v1/b/SB/o/SO/copyTo/b/B/o/O
	ShapeRewrite   Shape = "rewrite"   // /storage/v1/b/SB/o/SO/rewriteTo/b/B/o/O
	ShapeBatch     Shape = "batch"     // /batch/storage/v1
	ShapeResumable Shape = "resumable" // /B/O of the XML API, for a resumable upload
	shapeUnserved  Shape = "unserved"  // any other path of the API
)

// Target is what a request concerns.
type Target struct {
	Shape          Shape
	Bucket, Object string
	// SourceBucket and SourceObject are the source of a copy.
	SourceBucket, SourceObject string
}

const maxNameBytes = 1024

// Parse parses a path, for all later phases. The JSON API escapes slashes in names, so each
// segment is a name or a word.
func Parse(r *http.Request) (Target, error) {
	path := r.URL.EscapedPath()
	for prefix, parse := range jsonPaths {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			segments, err := unescape(strings.Split(strings.TrimSuffix(rest, "/"), "/"))
			if err != nil {
				return Target{}, err
			}
			return parse(segments).checked()
		}
	}
	if path == batchPath || path == "/batch" {
		return Target{Shape: ShapeBatch}, nil
	}
	t := xmlTarget(r.URL.Path)
	if t.Shape == ShapeMedia && IsResumable(r, r.URL.Query()) {
		t.Shape = ShapeResumable
	}
	return t.checked()
}

// jsonPaths are prefixes of the JSON API.
var jsonPaths = map[string]func([]string) Target{
	"/storage/v1/": jsonTarget, "/download/storage/v1/": mediaTarget, "/upload/storage/v1/": uploadTarget,
}

const batchPath = "/batch/storage/v1"

// IsJSON reports whether a path is one of the JSON API.
func IsJSON(path string) bool {
	for prefix := range jsonPaths {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return path == batchPath || path == "/batch"
}

func unescape(segments []string) ([]string, error) {
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		if err != nil {
			return nil, failure.ErrInvalid.With("The path is not properly escaped")
		}
		segments[i] = text
	}
	return segments, nil
}

// pattern matches segments with words; an empty word matches a name, which must not be empty.
func pattern(segments []string, words ...string) bool {
	if len(segments) != len(words) {
		return false
	}
	for i, word := range words {
		if segments[i] == "" || word != "" && segments[i] != word {
			return false
		}
	}
	return true
}

func jsonTarget(s []string) Target {
	switch {
	case pattern(s, "b"):
		return Target{Shape: ShapeService}
	case pattern(s, "b", ""):
		return Target{Shape: ShapeBucket, Bucket: s[1]}
	case pattern(s, "b", "", "o"):
		return Target{Shape: ShapeObjects, Bucket: s[1]}
	case pattern(s, "b", "", "o", ""):
		return Target{Shape: ShapeObject, Bucket: s[1], Object: s[3]}
	case pattern(s, "b", "", "o", "", "compose"):
		return Target{Shape: ShapeCompose, Bucket: s[1], Object: s[3]}
	case pattern(s, "b", "", "o", "", "copyTo", "b", "", "o", ""):
		return Target{ShapeCopy, s[6], s[8], s[1], s[3]}
	case pattern(s, "b", "", "o", "", "rewriteTo", "b", "", "o", ""):
		return Target{ShapeRewrite, s[6], s[8], s[1], s[3]}
	default:
		return Target{Shape: shapeUnserved}
	}
}

func mediaTarget(s []string) Target {
	if !pattern(s, "b", "", "o", "") {
		return Target{Shape: shapeUnserved}
	}
	return Target{Shape: ShapeMedia, Bucket: s[1], Object: s[3]}
}

func uploadTarget(s []string) Target {
	if !pattern(s, "b", "", "o") {
		return Target{Shape: shapeUnserved}
	}
	return Target{Shape: ShapeUpload, Bucket: s[1]}
}

// xmlTarget parses a path of the XML API: everything after the bucket is the object's name.
func xmlTarget(path string) Target {
	bucket, object, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if bucket == "" || object == "" {
		return Target{Shape: shapeUnserved}
	}
	return Target{Shape: ShapeMedia, Bucket: bucket, Object: object}
}

func (t Target) checked() (Target, error) {
	for _, bucket := range []string{t.Bucket, t.SourceBucket} {
		if bucket != "" && fakedriver.ValidateBucketName(bucket) != nil {
			return t, failure.ErrInvalid.With("Invalid bucket name")
		}
	}
	for _, name := range []string{t.Object, t.SourceObject} {
		if name != "" && CheckName(name) != nil {
			return t, CheckName(name)
		}
	}
	return t, nil
}

// CheckName rejects object names that GCS rejects; see "Object names" in its documentation.
func CheckName(name string) error {
	switch {
	case name == "":
		return failure.ErrInvalid.With("The name of the object is missing")
	case len(name) > maxNameBytes, !utf8.ValidString(name), strings.ContainsAny(name, "\r\n"), name == ".", name == "..",
		strings.HasPrefix(name, ".well-known/acme-challenge/"):
		return failure.ErrInvalid.With("Invalid object name")
	default:
		return nil
	}
}

// ResumableHeader begins a resumable upload of the XML API.
const ResumableHeader = "X-Goog-Resumable"

// IsResumable reports whether a request of the XML API begins or continues a resumable upload.
func IsResumable(r *http.Request, query url.Values) bool {
	return query.Has("upload_id") || r.Method == http.MethodPost && r.Header.Get(ResumableHeader) != ""
}
