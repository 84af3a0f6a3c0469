package protocol_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

const otherETag = `"0123456789abcdef0123456789abcdef"`

// The times are far from the creation of a test's object.
const (
	past   = "Thu, 01 Jan 2015 00:00:00 GMT"
	future = "Thu, 01 Jan 2099 00:00:00 GMT"
)

func TestConditionalReads(t *testing.T) {
	a := s3test.NewApp(t)
	etag := *a.Put("k", "content").ETag
	tests := map[string]struct {
		reason string
		header []string
		want   int
	}{
		"Match":            {"It is the one.", []string{"If-Match", etag}, 200},
		"MatchAny":         {"There is one.", []string{"If-Match", "*"}, 200},
		"MatchOneOf":       {"A list.", []string{"If-Match", otherETag + ", " + etag}, 200},
		"MatchOther":       {"It is another.", []string{"If-Match", otherETag}, 412},
		"NoneMatch":        {"The client has it.", []string{"If-None-Match", etag}, 304},
		"NoneMatchAny":     {"There is one.", []string{"If-None-Match", "*"}, 304},
		"NoneMatchOther":   {"The client has another.", []string{"If-None-Match", otherETag}, 200},
		"Modified":         {"Since then.", []string{"If-Modified-Since", past}, 200},
		"NotModified":      {"Not since then.", []string{"If-Modified-Since", future}, 304},
		"Unmodified":       {"Since then.", []string{"If-Unmodified-Since", future}, 200},
		"NotUnmodified":    {"It has been modified since.", []string{"If-Unmodified-Since", past}, 412},
		"ETagOverTime":     {"An ETag says more than a time.", []string{"If-Match", etag, "If-Unmodified-Since", past}, 200},
		"NotETagOverTime":  {"An ETag says more than a time.", []string{"If-None-Match", etag, "If-Modified-Since", past}, 304},
		"OtherETagAndTime": {"An ETag says more than a time.", []string{"If-None-Match", otherETag, "If-Modified-Since", future}, 200},
		"NoTime":           {"What is no time is ignored.", []string{"If-Modified-Since", "yesterday"}, 200},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				got := a.Raw(method, "/k", "", tc.header...)
				if got.Status != tc.want {
					t.Errorf("%s\n%s answered %d, want %d", tc.reason, method, got.Status, tc.want)
				}
				if got.Status == http.StatusNotModified && (got.Body != "" || got.Header.Get("Etag") != etag || got.Header.Get("Last-Modified") == "") {
					t.Errorf("%s\n%s answered %v: %s", tc.reason, method, got.Header, got.Body)
				}
				if got.Status == http.StatusPreconditionFailed && method == http.MethodGet && s3test.Code(t, got.Body) != "PreconditionFailed" {
					t.Errorf("%s\nGET answered %s", tc.reason, got.Body)
				}
			}
		})
	}
}

// TestConditionalMissing: a missing object is not found, whatever the condition.
func TestConditionalMissing(t *testing.T) {
	a := s3test.NewApp(t)
	for _, name := range []string{"If-Match", "If-None-Match"} {
		if got := a.Raw(http.MethodGet, "/missing", "", name, otherETag); got.Status != http.StatusNotFound {
			t.Errorf("%s answered %d: %s", name, got.Status, got.Body)
		}
	}
}

// conditionalWrites are the ways to write or delete an object on a condition.
func conditionalWrites(a *s3test.App) map[string]func(key string, match, noneMatch *string) error {
	return map[string]func(key string, match, noneMatch *string) error{
		"PutObject": func(key string, match, noneMatch *string) error {
			_, err := a.S3.PutObject(a.Context(), &s3.PutObjectInput{Bucket: a.Bucket, Key: &key, IfMatch: match, IfNoneMatch: noneMatch})
			return err
		},
		"CopyObject": func(key string, match, noneMatch *string) error {
			_, err := a.S3.CopyObject(a.Context(), &s3.CopyObjectInput{
				Bucket: a.Bucket, Key: &key, CopySource: new("photos/source"), IfMatch: match, IfNoneMatch: noneMatch,
			})
			return err
		},
		"CompleteMultipartUpload": func(key string, match, noneMatch *string) error {
			u := a.Begin(key)
			_, err := a.S3.CompleteMultipartUpload(a.Context(), &s3.CompleteMultipartUploadInput{
				Bucket: a.Bucket, Key: &key, UploadId: u.UploadId, IfMatch: match, IfNoneMatch: noneMatch,
				MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{a.Part(u, 1, "content")}},
			})
			return err
		},
		"DeleteObject": func(key string, match, noneMatch *string) error {
			if noneMatch != nil {
				return nil // S3 has no such condition
			}
			_, err := a.S3.DeleteObject(a.Context(), &s3.DeleteObjectInput{Bucket: a.Bucket, Key: &key, IfMatch: match})
			return err
		},
	}
}

//nolint:lll // one case a line
func TestConditionalWrites(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	a.Put("source", "content")
	tests := map[string]struct {
		reason           string
		key              string
		match, noneMatch *string
		want             string
	}{
		"IfNone":          {reason: "There is none.", key: "missing", noneMatch: new("*")},
		"IfNoneButOne":    {reason: "There is one.", key: "there", noneMatch: new("*"), want: "PreconditionFailed"},
		"IfNoneDeleted":   {reason: "There is none any more.", key: "deleted", noneMatch: new("*")},
		"IfNoneETag":      {reason: "S3 has it for reading only.", key: "there", noneMatch: new(otherETag), want: "NotImplemented"},
		"IfMatch":         {reason: "It is the one.", key: "there", match: new("9a0364b9e99bb480dd25e1f0284c8555")},
		"IfMatchAny":      {reason: "There is one.", key: "there", match: new("*")},
		"IfMatchOther":    {reason: "It is another.", key: "there", match: new(otherETag), want: "PreconditionFailed"},
		"IfMatchNone":     {reason: "There is none.", key: "missing", match: new(otherETag), want: "NoSuchKey"},
		"IfMatchAnyNone":  {reason: "There is none.", key: "missing", match: new("*"), want: "NoSuchKey"},
		"IfMatchDeleted":  {reason: "There is none any more.", key: "deleted", match: new("*"), want: "NoSuchKey"},
		"IfMatchReplaced": {reason: "It was the one before.", key: "replaced", match: new("9a0364b9e99bb480dd25e1f0284c8555"), want: "PreconditionFailed"},
	}
	for name, tc := range tests {
		for operation := range conditionalWrites(a) {
			t.Run(name+"/"+operation, func(t *testing.T) {
				a := a.In(t)
				key := name + operation + tc.key
				if tc.key != "missing" {
					a.Put(key, "content")
				}
				if tc.key == "deleted" {
					a.Remove(key, "")
				}
				if tc.key == "replaced" {
					a.Put(key, "another")
				}
				want := tc.want
				if operation == "DeleteObject" && tc.noneMatch != nil {
					want = ""
				}
				a.Rejected(tc.reason, conditionalWrites(a)[operation](key, tc.match, tc.noneMatch), want)
			})
		}
	}
}

// TestOnlyOneWins: of several clients that put an object if none exists, one succeeds.
func TestOnlyOneWins(t *testing.T) {
	a := s3test.NewApp(t)
	const clients = 8
	results := make(chan error, clients)
	for range clients {
		go func() {
			_, err := a.S3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: a.Bucket, Key: new("k"), IfNoneMatch: new("*")})
			results <- err
		}()
	}
	won := 0
	for range clients {
		if err := <-results; err == nil {
			won++
		} else {
			a.Rejected("a loser", err, "PreconditionFailed")
		}
	}
	if won != 1 {
		t.Errorf("%d have put the object, want 1", won)
	}
}
