package store_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
)

// history lists all versions: their keys, contents and kinds.
func (a *app) history() (all []string) {
	a.Helper()
	out, err := a.s3.ListObjectVersions(a.Context(), &s3.ListObjectVersionsInput{Bucket: a.bucket})
	a.must(err)
	for _, v := range out.Versions {
		content, _ := a.read(*v.Key, *v.VersionId)
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
	a := newApp(t, versioned)
	for _, content := range []string{"1", "2", "3"} {
		a.put("b", content)
	}
	a.put("a", "x")
	a.remove("b", "")
	want := []string{"a x latest", "b 3", "b 2", "b 1", "b marker latest"}
	if diff := cmp.Diff(want, a.history()); diff != "" {
		t.Errorf("keys in order, and the newest version first: -want, +got:\n%s", diff)
	}
}

// answeredVersion requests a version of "k" in all ways, and returns the version in each response,
// with its description.
func (a *app) answeredVersion(version string) map[string]string {
	a.Helper()
	id := optional(version)
	content, got := a.read("k", version)
	head := a.head("k", version)
	tags, err := a.s3.GetObjectTagging(a.Context(), &s3.GetObjectTaggingInput{Bucket: a.bucket, Key: ptr("k"), VersionId: id})
	a.must(err)
	attributes, err := a.s3.GetObjectAttributes(a.Context(), &s3.GetObjectAttributesInput{
		Bucket: a.bucket, Key: ptr("k"), VersionId: id, ObjectAttributes: []types.ObjectAttributes{types.ObjectAttributesObjectSize},
	})
	a.must(err)
	return map[string]string{
		"GetObject":           fmt.Sprint(*got.VersionId, " ", content),
		"HeadObject":          fmt.Sprint(*head.VersionId, " ", *head.ContentLength),
		"GetObjectTagging":    fmt.Sprint(*tags.VersionId, " ", describeTags(tags.TagSet)),
		"GetObjectAttributes": fmt.Sprint(*attributes.VersionId, " ", *attributes.ObjectSize),
	}
}

func TestVersionAnswers(t *testing.T) {
	a := newApp(t, versioned)
	old := a.put("k", "old", func(in *s3.PutObjectInput) { in.Tagging = ptr("age=old") }).VersionId
	newest := a.put("k", "newest", func(in *s3.PutObjectInput) { in.Tagging = ptr("age=new") }).VersionId
	for version, want := range map[string]map[string]string{
		*old: {
			"GetObject": *old + " old", "HeadObject": *old + " 3", "GetObjectTagging": *old + " [age=old]", "GetObjectAttributes": *old + " 3",
		},
		"": {
			"GetObject": *newest + " newest", "HeadObject": *newest + " 6", "GetObjectTagging": *newest + " [age=new]",
			"GetObjectAttributes": *newest + " 6",
		},
	} {
		if diff := cmp.Diff(want, a.answeredVersion(version)); diff != "" {
			t.Errorf("version %q: -want, +got:\n%s", version, diff)
		}
	}
	copied, err := a.s3.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: a.bucket, Key: ptr("k"), CopySource: aws.String("photos/k?versionId=" + *old),
	})
	a.must(err)
	if content, _ := a.read("k", ""); content != "old" || *copied.CopySourceVersionId != *old || *copied.VersionId == *old {
		t.Errorf("CopyObject() of version %s has made %q, version %s", *copied.CopySourceVersionId, content, *copied.VersionId)
	}
}

// TestTagVersion changes the tags of an old version, which keeps its place.
func TestTagVersion(t *testing.T) {
	a := newApp(t, versioned)
	old := a.put("k", "old").VersionId
	a.put("k", "new")
	out, err := a.s3.PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{
		Bucket: a.bucket, Key: ptr("k"), VersionId: old, Tagging: &types.Tagging{TagSet: []types.Tag{{Key: ptr("a"), Value: ptr("b")}}},
	})
	a.must(err)
	if *out.VersionId != *old || aws.ToInt32(a.head("k", *old).TagCount) != 1 || a.head("k", "").TagCount != nil {
		t.Errorf("PutObjectTagging() of version %s has tagged %s", *old, *out.VersionId)
	}
	if diff := cmp.Diff([]string{"k new latest", "k old"}, a.history()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestUndelete: reading finds the marker, which names itself, and without it the object exists
// again.
func TestUndelete(t *testing.T) {
	a := newApp(t, versioned)
	a.put("k", "content")
	id := *a.remove("k", "").VersionId
	type seen struct {
		Status                  int
		Code, Marker, ID, Allow string
	}
	for target, want := range map[string]seen{
		"/k":                 {404, "NoSuchKey", "true", id, ""},
		"/k?versionId=" + id: {405, "MethodNotAllowed", "true", id, "DELETE"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := a.raw(method, target, "")
			found := seen{got.status, want.Code, got.header.Get("X-Amz-Delete-Marker"), got.header.Get("X-Amz-Version-Id"), got.header.Get("Allow")}
			if method == http.MethodGet {
				found.Code = code(t, got.body)
			} else if got.body != "" {
				t.Errorf("HEAD %s has the body %q", target, got.body)
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("%s %s: -want, +got:\n%s", method, target, diff)
			}
		}
	}
	if out := a.remove("k", id); !aws.ToBool(out.DeleteMarker) || *out.VersionId != id {
		t.Errorf("DeleteObject() of the marker = %+v", out)
	}
	if diff := cmp.Diff([]string{"k content latest"}, a.history()); diff != "" {
		t.Errorf("after the marker is deleted: -want, +got:\n%s", diff)
	}
}

// TestDeleteVersions deletes versions one by one, from the middle.
func TestDeleteVersions(t *testing.T) {
	a := newApp(t, versioned)
	var ids []string
	for _, content := range []string{"1", "2", "3"} {
		ids = append(ids, *a.put("k", content).VersionId)
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
		if out := a.remove("k", step.version); *out.VersionId != step.version || out.DeleteMarker != nil {
			t.Errorf("DeleteObject() = %+v", out)
		}
		if diff := cmp.Diff(step.want, a.history()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
	_, err := a.s3.GetObject(t.Context(), &s3.GetObjectInput{Bucket: a.bucket, Key: ptr("k"), VersionId: &ids[0]})
	a.rejected("a version that is gone", err, "NoSuchVersion")
	_, err = a.s3.GetObject(t.Context(), &s3.GetObjectInput{Bucket: a.bucket, Key: ptr("k")})
	a.rejected("an object that is gone", err, "NoSuchKey")
}
