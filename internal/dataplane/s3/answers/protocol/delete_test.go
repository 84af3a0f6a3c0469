package protocol_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// condemn deletes several objects, each "key" or "key version", and returns the results.
func condemn(a *s3test.App, quiet bool, objects ...types.ObjectIdentifier) (results []string, err error) {
	a.Helper()
	out, err := a.S3.DeleteObjects(a.Context(), &s3.DeleteObjectsInput{
		Bucket: a.Bucket, Delete: &types.Delete{Objects: objects, Quiet: &quiet},
	})
	if err != nil {
		return nil, err
	}
	for _, d := range out.Deleted {
		result := "deleted " + *d.Key
		if aws.ToBool(d.DeleteMarker) {
			result += " by a marker"
		}
		results = append(results, result)
	}
	for _, e := range out.Errors {
		results = append(results, *e.Code+" "+*e.Key)
	}
	return results, nil
}

func named(key string) types.ObjectIdentifier { return types.ObjectIdentifier{Key: &key} }

//nolint:lll // one case a line
func TestDeleteObjects(t *testing.T) {
	a := s3test.NewApp(t)
	long := strings.Repeat("x", 1025)
	tests := map[string]struct {
		reason string
		quiet  bool
		of     []types.ObjectIdentifier
		want   []string
		left   []string
	}{
		"One":     {"The common case.", false, []types.ObjectIdentifier{named("a")}, []string{"deleted a"}, []string{"b"}},
		"Quiet":   {"Only errors are told.", true, []types.ObjectIdentifier{named("a"), named("b")}, nil, nil},
		"Missing": {"What is not there is deleted.", false, []types.ObjectIdentifier{named("x"), named("a")}, []string{"deleted x", "deleted a"}, []string{"b"}},
		"Twice":   {"Each is answered.", false, []types.ObjectIdentifier{named("a"), named("a")}, []string{"deleted a", "deleted a"}, []string{"b"}},
		"TooLong": {"The others are deleted.", true, []types.ObjectIdentifier{named(long), named("a")}, []string{"KeyTooLongError " + long}, []string{"b"}},
		"Condition": {
			"Each has its own.", true,
			[]types.ObjectIdentifier{{Key: new("a"), ETag: new(otherETag)}, {Key: new("b"), ETag: new("9a0364b9e99bb480dd25e1f0284c8555")}},
			[]string{"PreconditionFailed a"}, []string{"a"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			a.Put("a", "content")
			a.Put("b", "content")
			got, err := condemn(a, tc.quiet, tc.of...)
			a.Must(err)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.left, keysOf(a)); diff != "" {
				t.Errorf("%s\nleft: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func keysOf(a *s3test.App) (all []string) {
	a.Helper()
	pages := s3.NewListObjectsV2Paginator(a.S3, &s3.ListObjectsV2Input{Bucket: a.Bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(a.Context())
		a.Must(err)
		for _, o := range page.Contents {
			all = append(all, *o.Key)
		}
	}
	return all
}

func TestDeleteObjectsLimits(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k0", "")
	// The SDK may stop reading a response that arrives before it has finished its request, so it is
	// not used here.
	for count, want := range map[int]int{1001: 0, 1000: 1000} {
		var body strings.Builder
		for i := range count {
			fmt.Fprintf(&body, "<Object><Key>k%d</Key></Object>", i)
		}
		got := a.Document(http.MethodPost, "?delete", "<Delete>"+body.String()+"</Delete>")
		if answers := strings.Count(got.Body, "<Deleted>"); answers != want || (want == 0 && s3test.Code(t, got.Body) != "MalformedXML") {
			t.Errorf("%d objects: answer %d has %d deleted: %.300s", count, got.Status, answers, got.Body)
		}
	}
	if left := keysOf(a); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
	for body, want := range map[string]string{
		"": "MissingRequestBodyError", "<Delete>": "MalformedXML", "<Delete></Delete>": "MalformedXML",
		"<Delete><Object><Key></Key></Object></Delete>": "MalformedXML", "<Other/>": "MalformedXML",
	} {
		if got := a.Document(http.MethodPost, "?delete", body); got.Status != http.StatusBadRequest || s3test.Code(t, got.Body) != want {
			t.Errorf("%q answered %d, want %s: %s", body, got.Status, want, got.Body)
		}
	}
}

func TestDeleteObjectsVersions(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	old := a.Put("k", "old").VersionId
	a.Put("k", "new")
	results, err := condemn(a, false,
		types.ObjectIdentifier{Key: new("k"), VersionId: old}, named("k"), types.ObjectIdentifier{Key: new("k"), VersionId: new("null")})
	a.Must(err)
	if diff := cmp.Diff([]string{"deleted k", "deleted k by a marker", "deleted k"}, results); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"k new", "k marker latest"}, historyOf(a)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestDeleteObject: deleting a missing object is no error, and without versioning the response has
// no version.
func TestDeleteObject(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content")
	for range 2 {
		got := a.Raw(http.MethodDelete, "/k", "")
		marker, version := got.Header.Get("X-Amz-Delete-Marker"), got.Header.Get("X-Amz-Version-Id")
		if got.Status != http.StatusNoContent || got.Body != "" || marker != "" || version != "" {
			t.Errorf("DELETE answered %d, %v: %s", got.Status, got.Header, got.Body)
		}
	}
	got := a.Raw(http.MethodDelete, "/k?versionId=", "")
	if got.Status != http.StatusBadRequest || s3test.Code(t, got.Body) != "InvalidArgument" {
		t.Errorf("DELETE of an empty version answered %d: %s", got.Status, got.Body)
	}
}
