package protocol_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// historyOf lists all versions: their keys, contents and kinds.
func historyOf(a *s3test.App) (all []string) {
	a.Helper()
	out, err := a.S3.ListObjectVersions(a.Context(), &s3.ListObjectVersionsInput{Bucket: a.Bucket})
	a.Must(err)
	for _, v := range out.Versions {
		content, _ := a.Read(*v.Key, *v.VersionId)
		all = append(all, *v.Key+" "+content+latest(*v.IsLatest)+null(*v.VersionId))
	}
	for _, m := range out.DeleteMarkers {
		all = append(all, *m.Key+" marker"+latest(*m.IsLatest)+null(*m.VersionId))
	}
	return all
}

func latest(is bool) string {
	if is {
		return " latest"
	}
	return ""
}

func null(id string) string {
	if id == "null" {
		return " null"
	}
	return ""
}

func TestVersionsOrder(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	for _, content := range []string{"1", "2", "3"} {
		a.Put("b", content)
	}
	a.Put("a", "x")
	a.Remove("b", "")
	want := []string{"a x latest", "b 3", "b 2", "b 1", "b marker latest"}
	if diff := cmp.Diff(want, historyOf(a)); diff != "" {
		t.Errorf("keys in order, and the newest version first: -want, +got:\n%s", diff)
	}
}

// answeredVersion requests a version of "k" in all ways, and returns the version in each response,
// with its description.
func answeredVersion(a *s3test.App, version string) map[string]string {
	a.Helper()
	id := s3test.Optional(version)
	content, got := a.Read("k", version)
	head := a.Head("k", version)
	tags, err := a.S3.GetObjectTagging(a.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: new("k"), VersionId: id})
	a.Must(err)
	attributes, err := a.S3.GetObjectAttributes(a.Context(), &s3.GetObjectAttributesInput{
		Bucket: a.Bucket, Key: new("k"), VersionId: id, ObjectAttributes: []types.ObjectAttributes{types.ObjectAttributesObjectSize},
	})
	a.Must(err)
	return map[string]string{
		"GetObject":           fmt.Sprint(*got.VersionId, " ", content),
		"HeadObject":          fmt.Sprint(*head.VersionId, " ", *head.ContentLength),
		"GetObjectTagging":    fmt.Sprint(*tags.VersionId, " ", s3test.DescribeTags(tags.TagSet)),
		"GetObjectAttributes": fmt.Sprint(*attributes.VersionId, " ", *attributes.ObjectSize),
	}
}

func TestVersionAnswers(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	old := a.Put("k", "old", func(in *s3.PutObjectInput) { in.Tagging = new("age=old") }).VersionId
	newest := a.Put("k", "newest", func(in *s3.PutObjectInput) { in.Tagging = new("age=new") }).VersionId
	for version, want := range map[string]map[string]string{
		*old: {
			"GetObject": *old + " old", "HeadObject": *old + " 3", "GetObjectTagging": *old + " [age=old]", "GetObjectAttributes": *old + " 3",
		},
		"": {
			"GetObject": *newest + " newest", "HeadObject": *newest + " 6", "GetObjectTagging": *newest + " [age=new]",
			"GetObjectAttributes": *newest + " 6",
		},
	} {
		if diff := cmp.Diff(want, answeredVersion(a, version)); diff != "" {
			t.Errorf("version %q: -want, +got:\n%s", version, diff)
		}
	}
	copied, err := a.S3.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: a.Bucket, Key: new("k"), CopySource: aws.String("photos/k?versionId=" + *old),
	})
	a.Must(err)
	if content, _ := a.Read("k", ""); content != "old" || *copied.CopySourceVersionId != *old || *copied.VersionId == *old {
		t.Errorf("CopyObject() of version %s has made %q, version %s", *copied.CopySourceVersionId, content, *copied.VersionId)
	}
}

// TestTagVersion changes the tags of an old version, which keeps its place.
func TestTagVersion(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	old := a.Put("k", "old").VersionId
	a.Put("k", "new")
	out, err := a.S3.PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{
		Bucket: a.Bucket, Key: new("k"), VersionId: old, Tagging: &types.Tagging{TagSet: []types.Tag{{Key: new("a"), Value: new("b")}}},
	})
	a.Must(err)
	if *out.VersionId != *old || aws.ToInt32(a.Head("k", *old).TagCount) != 1 || a.Head("k", "").TagCount != nil {
		t.Errorf("PutObjectTagging() of version %s has tagged %s", *old, *out.VersionId)
	}
	if diff := cmp.Diff([]string{"k new latest", "k old"}, historyOf(a)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestUndelete: reading finds the marker, which names itself, and without it the object exists
// again.
func TestUndelete(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	a.Put("k", "content")
	id := *a.Remove("k", "").VersionId
	type seen struct {
		Status                  int
		Code, Marker, ID, Allow string
	}
	for target, want := range map[string]seen{
		"/k":                 {404, "NoSuchKey", "true", id, ""},
		"/k?versionId=" + id: {405, "MethodNotAllowed", "true", id, "DELETE"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := a.Raw(method, target, "")
			found := seen{got.Status, want.Code, got.Header.Get("X-Amz-Delete-Marker"), got.Header.Get("X-Amz-Version-Id"), got.Header.Get("Allow")}
			if method == http.MethodGet {
				found.Code = s3test.Code(t, got.Body)
			} else if got.Body != "" {
				t.Errorf("HEAD %s has the body %q", target, got.Body)
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("%s %s: -want, +got:\n%s", method, target, diff)
			}
		}
	}
	if out := a.Remove("k", id); !aws.ToBool(out.DeleteMarker) || *out.VersionId != id {
		t.Errorf("DeleteObject() of the marker = %+v", out)
	}
	if diff := cmp.Diff([]string{"k content latest"}, historyOf(a)); diff != "" {
		t.Errorf("after the marker is deleted: -want, +got:\n%s", diff)
	}
}

// TestDeleteVersions deletes versions one by one, from the middle.
func TestDeleteVersions(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	var ids []string
	for _, content := range []string{"1", "2", "3"} {
		ids = append(ids, *a.Put("k", content).VersionId)
	}
	for _, step := range []struct {
		version string
		want    []string
	}{
		{ids[1], []string{"k 3 latest", "k 1"}},
		{ids[1], []string{"k 3 latest", "k 1"}},
		{ids[2], []string{"k 1 latest"}},
		{ids[0], nil},
	} {
		if out := a.Remove("k", step.version); *out.VersionId != step.version || out.DeleteMarker != nil {
			t.Errorf("DeleteObject() = %+v", out)
		}
		if diff := cmp.Diff(step.want, historyOf(a)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
	_, err := a.S3.GetObject(t.Context(), &s3.GetObjectInput{Bucket: a.Bucket, Key: new("k"), VersionId: &ids[0]})
	a.Rejected("a version that is gone", err, "NoSuchVersion")
	_, err = a.S3.GetObject(t.Context(), &s3.GetObjectInput{Bucket: a.Bucket, Key: new("k")})
	a.Rejected("an object that is gone", err, "NoSuchKey")
}
