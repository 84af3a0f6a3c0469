package protocol_test

import (
	"crypto/md5" //nolint:gosec // an algorithm of the protocol, not a protection
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func checksumsOf(header http.Header) map[string]string {
	found := map[string]string{}
	for name := range header {
		if short, ok := strings.CutPrefix(strings.ToLower(name), "x-amz-checksum-"); ok {
			found[short] = header.Get(name)
		}
	}
	return found
}

// TestDefaultChecksum: S3 adds CRC64NVME to every object whose client selects nothing.
func TestDefaultChecksum(t *testing.T) {
	a := s3test.NewApp(t)
	want := map[string]string{"crc64nvme": s3test.ChecksumOf("CRC64NVME", "content"), "type": "FULL_OBJECT"}
	upload := func(key string) s3test.Answer {
		u := a.Begin(key)
		target := "/" + key + "?uploadId=" + *u.UploadId
		part := a.Raw(http.MethodPut, target+"&partNumber=1", "content")
		return a.Raw(http.MethodPost, target, `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>`+
			part.Header.Get("Etag")+`</ETag></Part></CompleteMultipartUpload>`)
	}
	if got := a.Raw(http.MethodPut, "/put", "content"); !cmp.Equal(want, checksumsOf(got.Header)) {
		t.Errorf("PutObject answered %v", got.Header)
	}
	element := "<ChecksumType>FULL_OBJECT</ChecksumType><ChecksumCRC64NVME>" + want["crc64nvme"] + "</ChecksumCRC64NVME>"
	if got := upload("parts"); !strings.Contains(got.Body, element) {
		t.Errorf("CompleteMultipartUpload answered %s", got.Body)
	}
	if got := a.Raw(http.MethodPut, "/copy", "", "X-Amz-Copy-Source", "photos/put"); !strings.Contains(got.Body, element) {
		t.Errorf("CopyObject answered %s", got.Body)
	}
	for _, key := range []string{"put", "parts", "copy"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := a.Raw(method, "/"+key, "", "X-Amz-Checksum-Mode", "ENABLED")
			if diff := cmp.Diff(want, checksumsOf(got.Header)); diff != "" {
				t.Errorf("%s of %s: -want, +got:\n%s", method, key, diff)
			}
		}
	}
	versions, err := a.S3.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: a.Bucket})
	a.Must(err)
	for _, v := range versions.Versions {
		if v.ChecksumType != "FULL_OBJECT" || !cmp.Equal(v.ChecksumAlgorithm, []types.ChecksumAlgorithm{"CRC64NVME"}) {
			t.Errorf("ListObjectVersions() has %s with %v %q", *v.Key, v.ChecksumAlgorithm, v.ChecksumType)
		}
	}
}

// byHand are checksums that the client's library does not compute.
func byHand(algorithm, content string) string {
	var sum []byte
	switch algorithm {
	case "SHA512":
		digest := sha512.Sum512([]byte(content))
		sum = digest[:]
	case "MD5":
		digest := md5.Sum([]byte(content)) //nolint:gosec // see the import
		sum = digest[:]
	case "XXHASH64":
		sum = binary.BigEndian.AppendUint64(nil, xxhash.Sum64String(content))
	case "XXHASH3":
		sum = binary.BigEndian.AppendUint64(nil, xxh3.HashString(content))
	case "XXHASH128":
		digest := xxh3.HashString128(content).Bytes()
		sum = digest[:]
	}
	return base64.StdEncoding.EncodeToString(sum)
}

// TestNewerChecksums uploads with the algorithms that S3 added in 2026, whole and in parts.
func TestNewerChecksums(t *testing.T) {
	a := s3test.NewApp(t)
	for _, algorithm := range []string{"SHA512", "MD5", "XXHASH64", "XXHASH3", "XXHASH128"} {
		t.Run(algorithm, func(t *testing.T) {
			a, name := a.In(t), "x-amz-checksum-"+strings.ToLower(algorithm)
			right := byHand(algorithm, "content")
			if got := a.Raw(http.MethodPut, "/k", "content", name, byHand(algorithm, "trap")); s3test.Code(t, got.Body) != "BadDigest" {
				t.Errorf("a wrong checksum: answer %d: %s", got.Status, got.Body)
			}
			if got := a.Raw(http.MethodPut, "/k", "content", name, right); got.Status != 200 || got.Header.Get(name) != right {
				t.Errorf("PutObject answered %d, %v: %s", got.Status, got.Header, got.Body)
			}
			u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = types.ChecksumAlgorithm(algorithm) })
			target := "/k?uploadId=" + *u.UploadId
			part := a.Raw(http.MethodPut, target+"&partNumber=1", "content", name, right)
			done := a.Raw(http.MethodPost, target, fmt.Sprintf("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>%s</ETag>"+
				"<Checksum%s>%s</Checksum%[2]s></Part></CompleteMultipartUpload>", part.Header.Get("Etag"), algorithm, right))
			raw, err := base64.StdEncoding.DecodeString(right)
			a.Must(err)
			want := map[string]string{strings.ToLower(algorithm): byHand(algorithm, string(raw)) + "-1", "type": "COMPOSITE"}
			head := a.Raw(http.MethodHead, "/k", "", "X-Amz-Checksum-Mode", "ENABLED")
			if diff := cmp.Diff(want, checksumsOf(head.Header)); diff != "" {
				t.Errorf("HEAD after %s\n-want, +got:\n%s", done.Body, diff)
			}
		})
	}
}

// TestCompositeChecksumAtTheEnd: clients send the object's checksum with the number of parts, and
// without.
func TestCompositeChecksumAtTheEnd(t *testing.T) {
	a := s3test.NewApp(t)
	whole := ofUpload("COMPOSITE", "CRC32C", s3test.MinPart, "end")
	bare, _, _ := strings.Cut(whole, "-")
	tests := map[string]struct {
		reason string
		sum    string
		kind   types.ChecksumType
		want   string
	}{
		"Number":      {"As S3 shows it.", whole, "COMPOSITE", ""},
		"Bare":        {"As minio-go sends it.", bare, "COMPOSITE", ""},
		"BareNoType":  {"The upload says the type.", bare, "", ""},
		"OtherNumber": {"It has two parts.", bare + "-3", "COMPOSITE", "BadDigest"},
		"OtherSum":    {"It is of something else.", s3test.ChecksumOf("CRC32C", "trap"), "COMPOSITE", "BadDigest"},
		"OtherType":   {"It is not of the whole.", bare, "FULL_OBJECT", "InvalidRequest"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			u := a.Begin(name, func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "CRC32C" })
			out, err := a.S3.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
				Bucket: a.Bucket, Key: &name, UploadId: u.UploadId, ChecksumCRC32C: &tc.sum, ChecksumType: tc.kind,
				MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{a.Part(u, 1, s3test.MinPart), a.Part(u, 2, "end")}},
			})
			a.Rejected(tc.reason, err, tc.want)
			if err == nil && aws.ToString(out.ChecksumCRC32C) != whole {
				t.Errorf("completed with %v, want %s", out.ChecksumCRC32C, whole)
			}
		})
	}
}
