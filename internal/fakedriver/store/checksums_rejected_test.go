package store_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// TestChecksumTypes: not every algorithm can be of either type.
//
//nolint:lll // one case a line
func TestChecksumTypes(t *testing.T) {
	a := newApp(t)
	for algorithm := range algorithms {
		for kind, can := range kinds {
			want := "InvalidRequest"
			for _, possible := range can {
				if possible == algorithm {
					want = ""
				}
			}
			_, err := a.s3.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
				Bucket: a.bucket, Key: ptr("k"), ChecksumAlgorithm: algorithm, ChecksumType: kind,
			})
			a.rejected(string(algorithm)+" as "+string(kind), err, want)
		}
	}
	for name, header := range map[string][]string{
		"no such algorithm": {"X-Amz-Checksum-Algorithm", "MD9"}, "no such type": {"X-Amz-Checksum-Algorithm", "CRC32", "X-Amz-Checksum-Type", "HALF"},
		"a type of nothing": {"X-Amz-Checksum-Type", "FULL_OBJECT"},
	} {
		if got := a.raw(http.MethodPost, "/k?uploads", "", header...); got.status != 400 || code(t, got.body) != "InvalidRequest" {
			t.Errorf("%s: answer %d: %s", name, got.status, got.body)
		}
	}
}

// TestChecksumsOfParts: where the object's checksum is made of those of the parts,
// clients must say them.
func TestChecksumsOfParts(t *testing.T) {
	a := newApp(t)
	u := a.begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "SHA256" })
	target := "/k?partNumber=1&uploadId=" + *u.UploadId
	if got := a.raw(http.MethodPut, target, "part"); code(t, got.body) != "InvalidRequest" {
		t.Errorf("a part without a checksum: answer %d: %s", got.status, got.body)
	}
	got := a.raw(http.MethodPut, target, "part", "X-Amz-Checksum-Crc32", checksumOf("CRC32", "part"))
	if code(t, got.body) != "InvalidRequest" {
		t.Errorf("a part with another checksum: answer %d: %s", got.status, got.body)
	}
	if got := a.raw(http.MethodPut, target, "part", "X-Amz-Checksum-Sha256", checksumOf("SHA256", "trap")); code(t, got.body) != "BadDigest" {
		t.Errorf("a part with a wrong checksum: answer %d: %s", got.status, got.body)
	}
	part := a.part(u, 1, "part")
	_, err := a.complete(u, types.CompletedPart{PartNumber: part.PartNumber, ETag: part.ETag})
	a.rejected("without the part's checksum", err, "InvalidRequest")
	_, err = a.complete(u, types.CompletedPart{
		PartNumber: part.PartNumber, ETag: part.ETag, ChecksumSHA256: aws.String(checksumOf("SHA256", "trap")),
	})
	a.rejected("with another checksum of the part", err, "InvalidPart")
	_, err = a.complete(u, part)
	a.must(err)
}

// TestChecksumAtTheEnd: the client may say what the whole object is to be.
//
//nolint:lll // one case a line
func TestChecksumAtTheEnd(t *testing.T) {
	a := newApp(t)
	tests := map[string]struct {
		reason string
		change func(*s3.CompleteMultipartUploadInput)
		want   string
	}{
		"Right":     {"It is that.", func(in *s3.CompleteMultipartUploadInput) { in.ChecksumCRC32 = aws.String(checksumOf("CRC32", "part")) }, ""},
		"Wrong":     {"It is another.", func(in *s3.CompleteMultipartUploadInput) { in.ChecksumCRC32 = aws.String(checksumOf("CRC32", "trap")) }, "BadDigest"},
		"Type":      {"It is of the whole.", func(in *s3.CompleteMultipartUploadInput) { in.ChecksumType = "FULL_OBJECT" }, ""},
		"WrongType": {"It is of the whole.", func(in *s3.CompleteMultipartUploadInput) { in.ChecksumType = "COMPOSITE" }, "BadDigest"},
		"Size":      {"It is that.", func(in *s3.CompleteMultipartUploadInput) { in.MpuObjectSize = aws.Int64(4) }, ""},
		"WrongSize": {"It is another.", func(in *s3.CompleteMultipartUploadInput) { in.MpuObjectSize = aws.Int64(5) }, "InvalidRequest"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.in(t)
			u := a.begin(name, func(in *s3.CreateMultipartUploadInput) {
				in.ChecksumAlgorithm, in.ChecksumType = "CRC32", "FULL_OBJECT"
			})
			in := &s3.CompleteMultipartUploadInput{
				Bucket: a.bucket, Key: &name, UploadId: u.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{a.part(u, 1, "part")}},
			}
			tc.change(in)
			_, err := a.s3.CompleteMultipartUpload(t.Context(), in)
			a.rejected(tc.reason, err, tc.want)
		})
	}
}

// TestFullObjectWithoutParts: S3 computes a part's checksum by itself where only
// that of the whole counts.
func TestFullObjectWithoutParts(t *testing.T) {
	a := newApp(t)
	u := a.begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "CRC64NVME" })
	got := a.raw(http.MethodPut, "/k?partNumber=1&uploadId="+*u.UploadId, "part")
	if got.status != http.StatusOK {
		t.Fatalf("answer %d: %s", got.status, got.body)
	}
	done, err := a.complete(u, types.CompletedPart{PartNumber: aws.Int32(1), ETag: aws.String(got.header.Get("Etag"))})
	a.must(err)
	if want := checksumOf("CRC64NVME", "part"); aws.ToString(done.ChecksumCRC64NVME) != want {
		t.Errorf("completed with %v, want %s", done.ChecksumCRC64NVME, want)
	}
}
