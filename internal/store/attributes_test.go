package store_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
)

func (a *app) attributes(key string, change ...func(*s3.GetObjectAttributesInput)) *s3.GetObjectAttributesOutput {
	a.Helper()
	in := &s3.GetObjectAttributesInput{Bucket: a.bucket, Key: &key, ObjectAttributes: types.ObjectAttributes("").Values()}
	for _, f := range change {
		f(in)
	}
	out, err := a.s3.GetObjectAttributes(a.Context(), in)
	a.must(err)
	return out
}

func TestObjectAttributes(t *testing.T) {
	a := newApp(t)
	a.put("k", "content")
	const etag, size = "9a0364b9e99bb480dd25e1f0284c8555", "<ObjectSize>7</ObjectSize>"
	sum := "<Checksum><ChecksumCRC32>" + checksumOf("CRC32", "content") + "</ChecksumCRC32><ChecksumType>FULL_OBJECT</ChecksumType></Checksum>"
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
			got := a.in(t).raw(http.MethodGet, "/k?attributes", "", "X-Amz-Object-Attributes", tc.attributes, "X-Amz-Checksum-Mode", "ENABLED")
			_, document, _ := strings.Cut(got.body, `<GetObjectAttributesResponse xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
			if diff := cmp.Diff(tc.want+"</GetObjectAttributesResponse>", document); diff != "" || got.header.Get("Last-Modified") == "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	for name, header := range map[string][]string{"none": nil, "an unknown one": {"X-Amz-Object-Attributes", "ETag,Colour"}} {
		if got := a.raw(http.MethodGet, "/k?attributes", "", header...); got.status != 400 || code(t, got.body) != "InvalidArgument" {
			t.Errorf("%s: answer %d: %s", name, got.status, got.body)
		}
	}
}

// TestAttributesOfUpload: S3 describes each part if the client has selected a checksum.
func TestAttributesOfUpload(t *testing.T) {
	a := newApp(t)
	want := []string{"1: 5242880", "2: 5242880", "3: 3"}
	for _, kind := range []types.ChecksumType{"COMPOSITE", "FULL_OBJECT"} {
		u := a.begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm, in.ChecksumType = "CRC32C", kind })
		_, err := a.complete(u, a.part(u, 1, minPart), a.part(u, 2, minPart), a.part(u, 3, "end"))
		a.must(err)
		got := a.attributes("k")
		if *got.ObjectParts.TotalPartsCount != 3 || got.Checksum.ChecksumType != kind {
			t.Errorf("%s: GetObjectAttributes() = %+v", kind, got)
		}
		if whole := ofUpload(kind, "CRC32C", minPart, minPart, "end"); kind == "COMPOSITE" && *got.Checksum.ChecksumCRC32C+"-3" != whole {
			t.Errorf("%s: the checksum is %s, want %s without the number", kind, *got.Checksum.ChecksumCRC32C, whole)
		}
		for size := int32(1); size <= 4; size++ {
			if diff := cmp.Diff(want, a.attributeParts("k", size)); diff != "" {
				t.Errorf("%s, pages of %d: -want, +got:\n%s", kind, size, diff)
			}
		}
	}
}

// TestAttributesOfDefault: without a choice of the client the parts are only counted.
func TestAttributesOfDefault(t *testing.T) {
	a := newApp(t)
	u := a.begin("k")
	_, err := a.complete(u, a.part(u, 1, minPart), a.part(u, 2, "end"))
	a.must(err)
	got := a.attributes("k")
	if parts := got.ObjectParts; *parts.TotalPartsCount != 2 || len(parts.Parts) != 0 ||
		aws.ToString(got.Checksum.ChecksumCRC64NVME) != checksumOf("CRC64NVME", minPart+"end") {
		t.Errorf("GetObjectAttributes() = %+v, %+v", got.ObjectParts, got.Checksum)
	}
}

// attributeParts returns the parts in all pages of GetObjectAttributes.
func (a *app) attributeParts(key string, size int32) (all []string) {
	a.Helper()
	var marker *string
	for more := true; more; {
		parts := a.attributes(key, func(in *s3.GetObjectAttributesInput) { in.MaxParts, in.PartNumberMarker = &size, marker }).ObjectParts
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
	a := newApp(t)
	u := a.begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "CRC32C" })
	part := a.part(u, 1, "part")
	list := a.raw(http.MethodGet, "/k?max-parts=0&uploadId="+*u.UploadId, "")
	_, err := a.complete(u, part)
	a.must(err)
	attributes := a.raw(http.MethodGet, "/k?attributes", "", "X-Amz-Object-Attributes", "ObjectParts", "X-Amz-Max-Parts", "0")
	for name, got := range map[string]answer{"ListParts": list, "GetObjectAttributes": attributes} {
		if !strings.Contains(got.body, "<MaxParts>0</MaxParts>") || !strings.Contains(got.body, "<IsTruncated>false</IsTruncated>") ||
			strings.Contains(got.body, "<Part>") {
			t.Errorf("%s answered %d: %s", name, got.status, got.body)
		}
	}
}

func TestAttributesOfMarker(t *testing.T) {
	a := newApp(t, versioned)
	a.put("k", "content")
	a.remove("k", "")
	got := a.raw(http.MethodGet, "/k?attributes", "", "X-Amz-Object-Attributes", "ETag")
	if got.status != http.StatusNotFound || got.header.Get("X-Amz-Delete-Marker") != "true" || code(t, got.body) != "NoSuchKey" {
		t.Errorf("answer %d, %v: %s", got.status, got.header, got.body)
	}
}
