package gcs

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// shape is the kind of a path.
type shape string

const (
	shapeService   shape = "service" // /storage/v1/b
	shapeBucket    shape = "bucket"  // /storage/v1/b/B
	shapeObjects   shape = "objects" // /storage/v1/b/B/o
	shapeObject    shape = "object"  // /storage/v1/b/B/o/O
	shapeMedia     shape = "media"
	shapeUpload    shape = "upload"    // /upload/storage/v1/b/B/o
	shapeCompose   shape = "compose"   // /storage/v1/b/B/o/O/compose
	shapeCopy      shape = "copy"      // /storage/v1/b/SB/o/SO/copyTo/b/B/o/O
	shapeRewrite   shape = "rewrite"   // /storage/v1/b/SB/o/SO/rewriteTo/b/B/o/O
	shapeBatch     shape = "batch"     // /batch/storage/v1
	shapeResumable shape = "resumable" // /B/O of the XML API, for a resumable upload
	shapeUnserved  shape = "unserved"  // any other path of the API
)

type target struct {
	shape          shape
	bucket, object string
	// source is the source of a copy.
	sourceBucket, sourceObject string
}

const maxNameBytes = 1024

// parseTarget parses a path, for all later phases. The JSON API escapes slashes in names, so each
// segment is a name or a word.
func parseTarget(r *http.Request) (target, error) {
	path := r.URL.EscapedPath()
	for prefix, parse := range jsonPaths {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			segments, err := unescape(strings.Split(strings.TrimSuffix(rest, "/"), "/"))
			if err != nil {
				return target{}, err
			}
			return parse(segments).checked()
		}
	}
	if path == batchPath || path == "/batch" {
		return target{shape: shapeBatch}, nil
	}
	t := xmlTarget(r.URL.Path)
	if t.shape == shapeMedia && isResumable(r, r.URL.Query()) {
		t.shape = shapeResumable
	}
	return t.checked()
}

// jsonPaths are prefixes of the JSON API.
var jsonPaths = map[string]func([]string) target{
	"/storage/v1/": jsonTarget, "/download/storage/v1/": mediaTarget, "/upload/storage/v1/": uploadTarget,
}

const batchPath = "/batch/storage/v1"

func isJSON(path string) bool {
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
			return nil, errInvalid.with("The path is not properly escaped")
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

func jsonTarget(s []string) target {
	switch {
	case pattern(s, "b"):
		return target{shape: shapeService}
	case pattern(s, "b", ""):
		return target{shape: shapeBucket, bucket: s[1]}
	case pattern(s, "b", "", "o"):
		return target{shape: shapeObjects, bucket: s[1]}
	case pattern(s, "b", "", "o", ""):
		return target{shape: shapeObject, bucket: s[1], object: s[3]}
	case pattern(s, "b", "", "o", "", "compose"):
		return target{shape: shapeCompose, bucket: s[1], object: s[3]}
	case pattern(s, "b", "", "o", "", "copyTo", "b", "", "o", ""):
		return target{shapeCopy, s[6], s[8], s[1], s[3]}
	case pattern(s, "b", "", "o", "", "rewriteTo", "b", "", "o", ""):
		return target{shapeRewrite, s[6], s[8], s[1], s[3]}
	default:
		return target{shape: shapeUnserved}
	}
}

func mediaTarget(s []string) target {
	if !pattern(s, "b", "", "o", "") {
		return target{shape: shapeUnserved}
	}
	return target{shape: shapeMedia, bucket: s[1], object: s[3]}
}

func uploadTarget(s []string) target {
	if !pattern(s, "b", "", "o") {
		return target{shape: shapeUnserved}
	}
	return target{shape: shapeUpload, bucket: s[1]}
}

// xmlTarget parses a path of the XML API: everything after the bucket is the object's name.
func xmlTarget(path string) target {
	bucket, object, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if bucket == "" || object == "" {
		return target{shape: shapeUnserved}
	}
	return target{shape: shapeMedia, bucket: bucket, object: object}
}

func (t target) checked() (target, error) {
	for _, bucket := range []string{t.bucket, t.sourceBucket} {
		if bucket != "" && fakedriver.ValidateBucketName(bucket) != nil {
			return t, errInvalid.with("Invalid bucket name")
		}
	}
	for _, name := range []string{t.object, t.sourceObject} {
		if name != "" && checkName(name) != nil {
			return t, checkName(name)
		}
	}
	return t, nil
}

// checkName rejects object names that GCS rejects; see "Object names" in its documentation.
func checkName(name string) error {
	switch {
	case name == "":
		return errInvalid.with("The name of the object is missing")
	case len(name) > maxNameBytes, !utf8.ValidString(name), strings.ContainsAny(name, "\r\n"), name == ".", name == "..",
		strings.HasPrefix(name, ".well-known/acme-challenge/"):
		return errInvalid.with("Invalid object name")
	default:
		return nil
	}
}
