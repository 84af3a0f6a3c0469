package store_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
)

// history lists all versions: their keys, contents and what they are.
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

// TestVersionAnswers asks for an old version in all ways there are.
func TestVersionAnswers(t *testing.T) {
	a := newApp(t, versioned)
	tagged := func(tags string) func(*s3.PutObjectInput) {
		return func(in *s3.PutObjectInput) { in.Tagging = &tags }
	}
	old := a.put("k", "old", tagged("age=old")).VersionId
	newest := a.put("k", "newest", tagged("age=new")).VersionId
	if aws.ToString(old) == "" || aws.ToString(newest) == "" || *old == *newest {
		t.Fatalf("PutObject() has made versions %v and %v", old, newest)
	}
	content, got := a.read("k", *old)
	if content != "old" || *got.VersionId != *old {
		t.Errorf("GetObject() = %q, version %s", content, *got.VersionId)
	}
	if content, got := a.read("k", ""); content != "newest" || *got.VersionId != *newest {
		t.Errorf("GetObject() of the newest = %q, version %s", content, *got.VersionId)
	}
	if got := a.head("k", *old); *got.ContentLength != 3 || *got.VersionId != *old {
		t.Errorf("HeadObject() = %d bytes, version %s", *got.ContentLength, *got.VersionId)
	}
	tags, err := a.s3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.bucket, Key: ptr("k"), VersionId: old})
	a.must(err)
	if diff := cmp.Diff([]string{"age=old"}, describeTags(tags.TagSet)); diff != "" || *tags.VersionId != *old {
		t.Errorf("GetObjectTagging(), version %s: -want, +got:\n%s", *tags.VersionId, diff)
	}
	attributes, err := a.s3.GetObjectAttributes(t.Context(), &s3.GetObjectAttributesInput{
		Bucket: a.bucket, Key: ptr("k"), VersionId: old, ObjectAttributes: []types.ObjectAttributes{types.ObjectAttributesObjectSize},
	})
	a.must(err)
	if *attributes.ObjectSize != 3 || *attributes.VersionId != *old {
		t.Errorf("GetObjectAttributes() = %d bytes, version %s", *attributes.ObjectSize, *attributes.VersionId)
	}
	copied, err := a.s3.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: a.bucket, Key: ptr("k"), CopySource: ptr("photos/k?versionId=" + *old)})
	a.must(err)
	if content, _ := a.read("k", ""); content != "old" || *copied.CopySourceVersionId != *old || *copied.VersionId == *old {
		t.Errorf("CopyObject() of version %s has made %q, version %s", *copied.CopySourceVersionId, content, *copied.VersionId)
	}
}

// TestTagVersion changes the tags of an old version, which stays where it is.
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

func TestUndelete(t *testing.T) {
	a := newApp(t, versioned)
	a.put("k", "content")
	marker := a.remove("k", "")
	if !aws.ToBool(marker.DeleteMarker) {
		t.Fatalf("DeleteObject() = %+v, want a marker", marker)
	}
	for method, want := range map[string]string{http.MethodGet: "NoSuchKey", http.MethodHead: ""} {
		got := a.raw(method, "/k", "")
		if got.status != http.StatusNotFound || got.header.Get("X-Amz-Delete-Marker") != "true" || got.header.Get("X-Amz-Version-Id") != *marker.VersionId {
			t.Errorf("%s answered %d, %v", method, got.status, got.header)
		}
		if (want == "" && got.body != "") || (want != "" && code(t, got.body) != want) {
			t.Errorf("%s answered %s, want %q", method, got.body, want)
		}
		got = a.raw(method, "/k?versionId="+*marker.VersionId, "")
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "DELETE" || got.header.Get("X-Amz-Delete-Marker") != "true" {
			t.Errorf("%s of the marker answered %d, %v", method, got.status, got.header)
		}
	}
	removed := a.remove("k", *marker.VersionId)
	if !aws.ToBool(removed.DeleteMarker) || *removed.VersionId != *marker.VersionId {
		t.Errorf("DeleteObject() of the marker = %+v", removed)
	}
	if diff := cmp.Diff([]string{"k content latest"}, a.history()); diff != "" {
		t.Errorf("after the marker is deleted: -want, +got:\n%s", diff)
	}
}

// TestDeleteVersions deletes versions one by one, in the middle first.
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
	a.refused("a version that is gone", err, "NoSuchVersion")
	_, err = a.s3.GetObject(t.Context(), &s3.GetObjectInput{Bucket: a.bucket, Key: ptr("k")})
	a.refused("an object that is gone", err, "NoSuchKey")
}

// TestNullVersions is about objects from before versioning and during its
// suspension, which take each other's place.
func TestNullVersions(t *testing.T) {
	a := newApp(t)
	if out := a.put("k", "before"); out.VersionId != nil {
		t.Errorf("PutObject() without versioning says version %s", *out.VersionId)
	}
	a.configure(types.BucketVersioningStatusEnabled)
	a.put("k", "enabled")
	step := func(reason string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, a.history()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", reason, diff)
		}
	}
	step("the object from before has become a version", "k enabled latest", "k before null")
	a.configure(types.BucketVersioningStatusSuspended)
	if out := a.put("k", "suspended"); aws.ToString(out.VersionId) != "null" {
		t.Errorf("PutObject() in suspension says version %v", out.VersionId)
	}
	step("the null version is replaced, and is the newest", "k suspended latest null", "k enabled")
	if out := a.remove("k", ""); !aws.ToBool(out.DeleteMarker) || aws.ToString(out.VersionId) != "null" {
		t.Errorf("DeleteObject() in suspension = %+v", out)
	}
	step("the marker replaces it, too", "k enabled", "k marker latest null")
	a.remove("k", "null")
	step("what is left", "k enabled latest")
	a.remove("k", "null")
	step("there is no null version any more", "k enabled latest")
}
