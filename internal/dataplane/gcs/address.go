package gcs

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// level is the kind of a path.
type level string

// The levels, each with a path as an example.
const (
	levelService   level = "service" // /storage/v1/b
	levelBucket    level = "bucket"  // /storage/v1/b/B
	levelObjects   level = "objects" // /storage/v1/b/B/o
	levelObject    level = "object"  // /storage/v1/b/B/o/O
	levelMedia     level = "media"
	levelUpload    level = "upload"    // /upload/storage/v1/b/B/o
	levelCompose   level = "compose"   // /storage/v1/b/B/o/O/compose
	levelCopy      level = "copy"      // /storage/v1/b/SB/o/SO/copyTo/b/B/o/O
	levelMove      level = "move"      // /storage/v1/b/B/o/SO/moveTo/o/O
	levelRewrite   level = "rewrite"   // /storage/v1/b/SB/o/SO/rewriteTo/b/B/o/O
	levelBatch     level = "batch"     // /batch/storage/v1
	levelResumable level = "resumable" // /B/O of the XML API, for a resumable upload
	levelUnserved  level = "unserved"  // any other path of the API
)

// target is what a request concerns.
type target struct {
	level          level
	bucket, object string
	// sourceBucket and sourceObject are the source of a copy.
	sourceBucket, sourceObject string
	// feature names the part of the API that a path belongs to, if that is known and not served.
	feature string
}

const maxNameBytes = 1024

// locate parses a path, for all later phases. The JSON API escapes slashes in names, so each
// segment is a name or a word.
func locate(r *http.Request) (target, error) {
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
		return target{level: levelBatch}, nil
	}
	t := xmlTarget(r.URL.Path)
	if t.level == levelMedia && isResumable(r, r.URL.Query()) {
		t.level = levelResumable
	}
	return t.checked()
}

// jsonPaths are prefixes of the JSON API.
var jsonPaths = map[string]func([]string) target{
	"/storage/v1/": jsonTarget, "/download/storage/v1/": mediaTarget, "/upload/storage/v1/": uploadTarget,
}

const batchPath = "/batch/storage/v1"

// isJSON reports whether a path is one of the JSON API.
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

func jsonTarget(s []string) target {
	switch {
	case pattern(s, "b"):
		return target{level: levelService}
	case pattern(s, "b", ""):
		return target{level: levelBucket, bucket: s[1]}
	case pattern(s, "b", "", "o"):
		return target{level: levelObjects, bucket: s[1]}
	case pattern(s, "b", "", "o", ""):
		return target{level: levelObject, bucket: s[1], object: s[3], feature: features[s[3]]} // for POST to o/watch
	case pattern(s, "b", "", "o", "", "compose"):
		return target{level: levelCompose, bucket: s[1], object: s[3]}
	case pattern(s, "b", "", "o", "", "copyTo", "b", "", "o", ""):
		return target{level: levelCopy, bucket: s[6], object: s[8], sourceBucket: s[1], sourceObject: s[3]}
	case pattern(s, "b", "", "o", "", "rewriteTo", "b", "", "o", ""):
		return target{level: levelRewrite, bucket: s[6], object: s[8], sourceBucket: s[1], sourceObject: s[3]}
	case pattern(s, "b", "", "o", "", "moveTo", "o", ""):
		return target{level: levelMove, bucket: s[1], object: s[6], sourceObject: s[3]}
	default:
		return target{level: levelUnserved, feature: featureOf(s)}
	}
}

func mediaTarget(s []string) target {
	if !pattern(s, "b", "", "o", "") {
		return target{level: levelUnserved}
	}
	return target{level: levelMedia, bucket: s[1], object: s[3]}
}

func uploadTarget(s []string) target {
	if !pattern(s, "b", "", "o") {
		return target{level: levelUnserved}
	}
	return target{level: levelUpload, bucket: s[1]}
}

// xmlTarget parses a path of the XML API: everything after the bucket is the object's name.
func xmlTarget(path string) target {
	bucket, object, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if bucket == "" || object == "" {
		return target{level: levelUnserved}
	}
	return target{level: levelMedia, bucket: bucket, object: object}
}

func (t target) checked() (target, error) {
	for _, bucket := range []string{t.bucket, t.sourceBucket} {
		if bucket != "" && !isBucketName(bucket) {
			return t, failure.ErrInvalid.With("Invalid bucket name")
		}
	}
	for _, name := range []string{t.object, t.sourceObject} {
		if name != "" && checkName(name) != nil {
			return t, checkName(name)
		}
	}
	return t, nil
}

// The maximum sizes of the names of buckets, and of a part of one between dots.
const (
	maxBucketPart = 63
	maxBucketName = 222
)

// isBucketName reports whether GCS allows the name of a bucket; see "Bucket names" in its
// documentation.
func isBucketName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if !isBucketPart(part) {
			return false
		}
	}
	return len(name) >= 3 && len(name) <= maxBucketName && net.ParseIP(name) == nil && !strings.HasPrefix(name, "goog") &&
		!strings.Contains(name, "google")
}

// isBucketPart reports whether a part has letters, digits, hyphens and underscores, the latter two
// only inside.
func isBucketPart(part string) bool {
	for i := range len(part) {
		switch c := part[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case (c == '-' || c == '_') && i > 0 && i < len(part)-1:
		default:
			return false
		}
	}
	return part != "" && len(part) <= maxBucketPart
}

// checkName rejects object names that GCS rejects; see "Object names" in its documentation.
func checkName(name string) error {
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

// resumableHeader begins a resumable upload of the XML API.
const resumableHeader = "X-Goog-Resumable"

// isResumable reports whether a request of the XML API begins or continues a resumable upload.
func isResumable(r *http.Request, query url.Values) bool {
	return query.Has("upload_id") || r.Method == http.MethodPost && r.Header.Get(resumableHeader) != ""
}
