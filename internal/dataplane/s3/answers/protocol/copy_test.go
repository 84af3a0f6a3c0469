package protocol_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func copyObject(a *s3test.App, from, to string, change ...func(*s3.CopyObjectInput)) error {
	a.Helper()
	in := &s3.CopyObjectInput{Bucket: a.Bucket, Key: &to, CopySource: aws.String("photos/" + from)}
	for _, f := range change {
		f(in)
	}
	_, err := a.S3.CopyObject(a.Context(), in)
	return err
}

// TestCopyDirectives: metadata and tags come from the source or from the request.
func TestCopyDirectives(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("source", "content", func(in *s3.PutObjectInput) {
		in.ContentType, in.CacheControl, in.Tagging = new("text/plain"), new("no-cache"), new("from=source")
		in.Metadata, in.WebsiteRedirectLocation = map[string]string{"from": "source"}, new("/source")
	})
	both := func(in *s3.CopyObjectInput) {
		in.ContentType, in.Tagging, in.Metadata = new("image/png"), new("from=request"), map[string]string{"from": "request"}
	}
	type seen struct {
		Type, Cache, Metadata string
		Tags                  []string
	}
	tests := map[string]struct {
		reason            string
		metadata, tagging string
		want              seen
	}{
		"Default": {"All from the source.", "", "", seen{"text/plain", "no-cache", "source", []string{"from=source"}}},
		"Copy":    {"All from the source.", "COPY", "COPY", seen{"text/plain", "no-cache", "source", []string{"from=source"}}},
		"Headers": {"Of the old headers nothing is left.", "REPLACE", "COPY", seen{"image/png", "", "request", []string{"from=source"}}},
		"Tags":    {"Tags are separate.", "COPY", "REPLACE", seen{"text/plain", "no-cache", "source", []string{"from=request"}}},
		"All":     {"All from the request.", "REPLACE", "REPLACE", seen{"image/png", "", "request", []string{"from=request"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			a.Must(copyObject(a, "source", name, both, func(in *s3.CopyObjectInput) {
				in.MetadataDirective, in.TaggingDirective = types.MetadataDirective(tc.metadata), types.TaggingDirective(tc.tagging)
			}))
			content, got := a.Read(name, "")
			tags, err := a.S3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: &name})
			a.Must(err)
			now := seen{aws.ToString(got.ContentType), aws.ToString(got.CacheControl), got.Metadata["from"], s3test.DescribeTags(tags.TagSet)}
			if diff := cmp.Diff(tc.want, now); diff != "" || content != "content" {
				t.Errorf("%s\nthe copy is %q: -want, +got:\n%s", tc.reason, content, diff)
			}
			if got.WebsiteRedirectLocation != nil {
				t.Errorf("the redirection is copied, which S3 does not do: %s", *got.WebsiteRedirectLocation)
			}
		})
	}
}

//nolint:lll // one case a line
func TestCopyRejected(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	put := a.Put("source", "content")
	marker := a.Remove("gone", "")
	directive := func(in *s3.CopyObjectInput) { in.MetadataDirective = "MOVE" }
	tests := map[string]struct {
		reason, from string
		change       func(*s3.CopyObjectInput)
		want         string
	}{
		"Missing":     {"There is none.", "missing", nil, "NoSuchKey"},
		"Deleted":     {"There is none any more.", "gone", nil, "NoSuchKey"},
		"Marker":      {"A marker has no content.", "gone?versionId=" + *marker.VersionId, nil, "InvalidRequest"},
		"OddVersion":  {"No version has such an ID.", "source?versionId=x", nil, "InvalidArgument"},
		"NoVersion":   {"Of a version that is not there.", "source?versionId=" + s3test.NoVersion, nil, "NoSuchVersion"},
		"OddQuery":    {"Only a version can be named.", "source?tagging", nil, "InvalidArgument"},
		"Directive":   {"There are two.", "source", directive, "InvalidArgument"},
		"Match":       {"It is the one.", "source", func(in *s3.CopyObjectInput) { in.CopySourceIfMatch = put.ETag }, ""},
		"MatchOther":  {"It is another.", "source", func(in *s3.CopyObjectInput) { in.CopySourceIfMatch = new(otherETag) }, "PreconditionFailed"},
		"NoneMatch":   {"It is the one.", "source", func(in *s3.CopyObjectInput) { in.CopySourceIfNoneMatch = put.ETag }, "PreconditionFailed"},
		"Modified":    {"Not since then.", "source", func(in *s3.CopyObjectInput) { in.CopySourceIfModifiedSince = aws.Time(time.Now().AddDate(1, 0, 0)) }, "PreconditionFailed"},
		"Unmodified":  {"It has been since.", "source", func(in *s3.CopyObjectInput) { in.CopySourceIfUnmodifiedSince = aws.Time(time.Now().AddDate(-1, 0, 0)) }, "PreconditionFailed"},
		"ToItself":    {"Nothing would change.", "source", func(in *s3.CopyObjectInput) { in.Key = new("source") }, "InvalidRequest"},
		"OldToItself": {"An old version becomes the newest.", "source?versionId=" + *put.VersionId, func(in *s3.CopyObjectInput) { in.Key = new("source") }, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			change := tc.change
			if change == nil {
				change = func(*s3.CopyObjectInput) {}
			}
			a.Rejected(tc.reason, copyObject(a, tc.from, "to", change), tc.want)
		})
	}
}

// TestCopyOfUpload: a copy has one part, whatever its source.
func TestCopyOfUpload(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("source")
	_, err := a.Complete(u, a.Part(u, 1, "content"))
	a.Must(err)
	if etag := *a.Head("source", "").ETag; etag != `"73ad9750e8d5fcf7936433620b4baa21-1"` {
		t.Errorf("the upload has the ETag %s", etag)
	}
	a.Must(copyObject(a, "source", "copy"))
	if etag := *a.Head("copy", "").ETag; etag != `"9a0364b9e99bb480dd25e1f0284c8555"` {
		t.Errorf("the copy has the ETag %s", etag)
	}
}

// TestCopyPart creates an object from ranges of others.
//
//nolint:lll // one case a line
func TestCopyPart(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	old := a.Put("source", "0123456789").VersionId
	etag := *a.Put("source", "abcdefghij").ETag
	version := "?versionId=" + *old
	tests := map[string]struct {
		reason, from string
		change       func(*s3.UploadPartCopyInput)
		want         string
		err          string
	}{
		"All":        {reason: "All of the newest.", from: "source", want: "abcdefghij"},
		"Range":      {reason: "A piece.", from: "source", change: bytesOf("bytes=2-4"), want: "cde"},
		"Version":    {reason: "A piece of an old version.", from: "source" + version, change: bytesOf("bytes=9-9"), want: "9"},
		"Beyond":     {reason: "Unlike when reading, it must be within.", from: "source", change: bytesOf("bytes=2-10"), err: "InvalidArgument"},
		"Open":       {reason: "Both ends must be given.", from: "source", change: bytesOf("bytes=2-"), err: "InvalidArgument"},
		"Suffix":     {reason: "Both ends must be given.", from: "source", change: bytesOf("bytes=-2"), err: "InvalidArgument"},
		"Backwards":  {reason: "No range.", from: "source", change: bytesOf("bytes=4-2"), err: "InvalidArgument"},
		"Missing":    {reason: "No source.", from: "missing", err: "NoSuchKey"},
		"NoVersion":  {reason: "No such version.", from: "source?versionId=" + s3test.NoVersion, err: "NoSuchVersion"},
		"Match":      {reason: "It is the one.", from: "source", change: func(in *s3.UploadPartCopyInput) { in.CopySourceIfMatch = &etag }, want: "abcdefghij"},
		"MatchOther": {reason: "It is not.", from: "source" + version, change: func(in *s3.UploadPartCopyInput) { in.CopySourceIfMatch = &etag }, err: "PreconditionFailed"},
		"NoUpload":   {reason: "No such upload.", from: "source", change: func(in *s3.UploadPartCopyInput) { in.UploadId = new("x") }, err: "NoSuchUpload"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			u := a.Begin(name)
			in := &s3.UploadPartCopyInput{Bucket: a.Bucket, Key: &name, UploadId: u.UploadId, PartNumber: aws.Int32(1), CopySource: aws.String("photos/" + tc.from)}
			if tc.change != nil {
				tc.change(in)
			}
			out, err := a.S3.UploadPartCopy(t.Context(), in)
			a.Rejected(tc.reason, err, tc.err)
			if err != nil {
				return
			}
			_, err = a.Complete(u, types.CompletedPart{PartNumber: aws.Int32(1), ETag: out.CopyPartResult.ETag})
			a.Must(err)
			if content, _ := a.Read(name, ""); content != tc.want {
				t.Errorf("%s\nthe object is %q, want %q", tc.reason, content, tc.want)
			}
		})
	}
}

func bytesOf(text string) func(*s3.UploadPartCopyInput) {
	return func(in *s3.UploadPartCopyInput) { in.CopySourceRange = &text }
}
