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

func attributesOf(a *s3test.App, key string, change ...func(*s3.GetObjectAttributesInput)) *s3.GetObjectAttributesOutput {
	a.Helper()
	in := &s3.GetObjectAttributesInput{Bucket: a.Bucket, Key: &key, ObjectAttributes: types.ObjectAttributes("").Values()}
	for _, f := range change {
		f(in)
	}
	out, err := a.S3.GetObjectAttributes(a.Context(), in)
	a.Must(err)
	return out
}

func TestObjectAttributes(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content")
	const etag, size = "9a0364b9e99bb480dd25e1f0284c8555", "<ObjectSize>7</ObjectSize>"
	sum := "<Checksum><ChecksumCRC32>" + s3test.ChecksumOf("CRC32", "content") + "</ChecksumCRC32>" +
		"<ChecksumType>FULL_OBJECT</ChecksumType></Checksum>"
	tests := map[string]struct {
		reason, attributes, want string
	}{
		"Size":     {"Nothing else.", "ObjectSize", size},
		"Two":      {"In S3's order.", "ObjectSize,ETag", "<ETag>" + etag + "</ETag>" + size},
		"Spaces":   {"Between names.", "ObjectSize , ETag", "<ETag>" + etag + "</ETag>" + size},
		"Class":    {"There is one.", "StorageClass", "<StorageClass>STANDARD</StorageClass>"},
		"Checksum": {"That of the upload.", "Checksum", sum},
		"NoParts":  {"It was uploaded in one piece.", "ObjectParts,ObjectSize", size},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := a.In(t).Raw(http.MethodGet, "/k?attributes", "", "X-Amz-Object-Attributes", tc.attributes, "X-Amz-Checksum-Mode", "ENABLED")
			_, document, _ := strings.Cut(got.Body, `<GetObjectAttributesResponse xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
			if diff := cmp.Diff(tc.want+"</GetObjectAttributesResponse>", document); diff != "" || got.Header.Get("Last-Modified") == "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	for _, target := range []string{"/k?attributes", "/missing?attributes"} {
		if got := a.Raw(http.MethodGet, target, ""); got.Status != 400 || s3test.Code(t, got.Body) != "InvalidRequest" {
			t.Errorf("%s of none: answer %d: %s", target, got.Status, got.Body)
		}
		got := a.Raw(http.MethodGet, target, "", "X-Amz-Object-Attributes", "ETag,Colour")
		if got.Status != 400 || s3test.Code(t, got.Body) != "InvalidArgument" {
			t.Errorf("%s of an unknown one: answer %d: %s", target, got.Status, got.Body)
		}
	}
}

func TestAttributesOfUpload(t *testing.T) {
	a := s3test.NewApp(t)
	want := []string{"1: 5242880", "2: 5242880", "3: 3"}
	for _, kind := range []types.ChecksumType{"COMPOSITE", "FULL_OBJECT"} {
		u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm, in.ChecksumType = "CRC32C", kind })
		_, err := a.Complete(u, a.Part(u, 1, s3test.MinPart), a.Part(u, 2, s3test.MinPart), a.Part(u, 3, "end"))
		a.Must(err)
		got := attributesOf(a, "k")
		if *got.ObjectParts.TotalPartsCount != 3 || got.Checksum.ChecksumType != kind {
			t.Errorf("%s: GetObjectAttributes() = %+v", kind, got)
		}
		whole := ofUpload(kind, "CRC32C", s3test.MinPart, s3test.MinPart, "end")
		if kind == "COMPOSITE" && *got.Checksum.ChecksumCRC32C+"-3" != whole {
			t.Errorf("%s: the checksum is %s, want %s without the number", kind, *got.Checksum.ChecksumCRC32C, whole)
		}
		for size := int32(1); size <= 4; size++ {
			if diff := cmp.Diff(want, attributeParts(a, "k", size)); diff != "" {
				t.Errorf("%s, pages of %d: -want, +got:\n%s", kind, size, diff)
			}
		}
	}
}

// TestAttributesOfDefault: parts are described without a choice of the client, too.
func TestAttributesOfDefault(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k")
	_, err := a.Complete(u, a.Part(u, 1, s3test.MinPart), a.Part(u, 2, "end"))
	a.Must(err)
	got := attributesOf(a, "k")
	if parts := got.ObjectParts; *parts.TotalPartsCount != 2 || len(parts.Parts) != 2 || *parts.Parts[1].Size != 3 ||
		aws.ToString(got.Checksum.ChecksumCRC64NVME) != s3test.ChecksumOf("CRC64NVME", s3test.MinPart+"end") {
		t.Errorf("GetObjectAttributes() = %+v, %+v", got.ObjectParts, got.Checksum)
	}
}

// attributeParts returns the parts in all pages of GetObjectAttributes.
func attributeParts(a *s3test.App, key string, size int32) (all []string) {
	a.Helper()
	var marker *string
	for more := true; more; {
		parts := attributesOf(a, key, func(in *s3.GetObjectAttributesInput) { in.MaxParts, in.PartNumberMarker = &size, marker }).ObjectParts
		if len(parts.Parts) > int(size) {
			a.Errorf("a page of %d has %d parts", size, len(parts.Parts))
		}
		for _, p := range parts.Parts {
			all = append(all, fmt.Sprintf("%d: %d", *p.PartNumber, *p.Size))
			if p.ChecksumCRC32C == nil {
				a.Errorf("part %d has no checksum", *p.PartNumber)
			}
		}
		marker, more = parts.NextPartNumberMarker, aws.ToBool(parts.IsTruncated)
	}
	return all
}

// TestPagesOfNone: a page without parts is the last one, because the next would begin there, too.
func TestPagesOfNone(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "CRC32C" })
	part := a.Part(u, 1, "part")
	list := a.Raw(http.MethodGet, "/k?max-parts=0&uploadId="+*u.UploadId, "")
	_, err := a.Complete(u, part)
	a.Must(err)
	attributes := a.Raw(http.MethodGet, "/k?attributes", "", "X-Amz-Object-Attributes", "ObjectParts", "X-Amz-Max-Parts", "0")
	for name, got := range map[string]s3test.Answer{"ListParts": list, "GetObjectAttributes": attributes} {
		if !strings.Contains(got.Body, "<MaxParts>0</MaxParts>") || !strings.Contains(got.Body, "<IsTruncated>false</IsTruncated>") ||
			strings.Contains(got.Body, "<Part>") {
			t.Errorf("%s answered %d: %s", name, got.Status, got.Body)
		}
	}
}

func TestAttributesOfMarker(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	a.Put("k", "content")
	a.Remove("k", "")
	got := a.Raw(http.MethodGet, "/k?attributes", "", "X-Amz-Object-Attributes", "ETag")
	if got.Status != http.StatusNotFound || got.Header.Get("X-Amz-Delete-Marker") != "true" || s3test.Code(t, got.Body) != "NoSuchKey" {
		t.Errorf("answer %d, %v: %s", got.Status, got.Header, got.Body)
	}
}
