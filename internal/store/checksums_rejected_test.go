package store_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// TestChecksumTypes: not every algorithm supports both types.
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
	got := a.raw(http.MethodPost, "/k?uploads", "", "X-Amz-Checksum-Algorithm", "crc32", "X-Amz-Checksum-Type", "full_object")
	if got.status != http.StatusOK || got.header.Get("X-Amz-Checksum-Type") != "FULL_OBJECT" {
		t.Errorf("in lower case: answer %d, %v", got.status, got.header)
	}
}

// TestChecksumsIgnored: a header about a checksum takes effect, or is rejected.
//
//nolint:lll // one case a line
func TestChecksumsIgnored(t *testing.T) {
	a := newApp(t)
	const (
		algorithm, trailer, content = "X-Amz-Sdk-Checksum-Algorithm", "X-Amz-Trailer", "7\r\ncontent\r\n0\r\n"
		name                        = "x-amz-checksum-crc32"
	)
	right := checksumOf("CRC32", "content")
	stream := []string{"X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "X-Amz-Decoded-Content-Length", "7"}
	u := a.begin("parts")
	target := "/parts?uploadId=" + *u.UploadId
	part := a.part(u, 1, "part")
	completion := "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + *part.ETag + "</ETag></Part></CompleteMultipartUpload>"
	tests := map[string]struct {
		reason, method, target, body string
		header                       []string
		want                         string
	}{
		"Algorithm":       {"SDKs send a checksum with it.", "PUT", "/k", "content", []string{algorithm, "CRC32", name, right}, ""},
		"AlgorithmAlone":  {"The checksum was lost.", "PUT", "/k", "content", []string{algorithm, "SHA256"}, "InvalidRequest"},
		"AlgorithmOfPart": {"The checksum was lost.", "PUT", target + "&partNumber=2", "content", []string{algorithm, "SHA256"}, "InvalidRequest"},
		"OtherAlgorithm":  {"Which one counts?", "PUT", "/k", "content", []string{algorithm, "SHA256", name, right}, "InvalidRequest"},
		"OddAlgorithm":    {"S3 has no such.", "PUT", "/k", "content", []string{algorithm, "MD9", name, right}, "InvalidRequest"},
		"Trailer":         {"It was announced.", "PUT", "/k", content + name + ":" + right + "\r\n\r\n", append(stream, trailer, name), ""},
		"OtherTrailer":    {"S3 takes checksums only.", "PUT", "/k", content + "x-amz-meta-a:1\r\n\r\n", append(stream, trailer, "x-amz-meta-a"), "InvalidRequest"},
		"HeaderToo":       {"Which one counts?", "PUT", "/k", content + name + ":" + right + "\r\n\r\n", append(stream, trailer, name, name, right), "InvalidRequest"},
		"Unannounced":     {"It could not be computed.", "PUT", "/k", content + name + ":" + right + "\r\n\r\n", stream, "MalformedTrailerError"},
		"NoStream":        {"Nothing can follow.", "PUT", "/k", "content", []string{trailer, name}, "InvalidRequest"},
		"NoStreamOfPart":  {"Nothing can follow.", "PUT", target + "&partNumber=2", "content", []string{trailer, name}, "InvalidRequest"},
		"NoTrailer":       {"Nothing can follow.", "PUT", "/k", content + "\r\n", []string{"X-Amz-Content-Sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "X-Amz-Decoded-Content-Length", "7", trailer, name}, "MalformedTrailerError"},
		"TwoAtTheEnd":     {"Which one counts?", "POST", target, completion, []string{name, checksumOf("CRC32", "part"), "X-Amz-Checksum-Sha1", checksumOf("SHA1", "trap")}, "InvalidRequest"},
		"TypeAtTheEnd":    {"S3 has no such.", "POST", target, completion, []string{"X-Amz-Checksum-Type", "HALF"}, "InvalidRequest"},
		"Conditions":      {"They are of directory buckets.", "POST", "?delete", "<Delete><Object><Key>kept</Key><Size>1</Size></Object></Delete>", nil, "NotImplemented"},
	}
	a.put("kept", "content")
	for test, tc := range tests {
		t.Run(test, func(t *testing.T) {
			got := a.in(t).raw(tc.method, tc.target, tc.body, tc.header...)
			found := codeOf(got.body)
			if _, rest, listed := strings.Cut(got.body, "<Code>"); listed && found == "" {
				found, _, _ = strings.Cut(rest, "<")
			}
			if found != tc.want {
				t.Errorf("%s\nanswer %d, want %q: %s", tc.reason, got.status, tc.want, got.body)
			}
		})
	}
	if content, _ := a.read("kept", ""); content != "content" {
		t.Errorf("what was not to be deleted is %q", content)
	}
	f := a.form()
	f.fields["x-amz-trailer"] = name
	if got := a.post(f); codeOf(got.body) != "InvalidRequest" {
		t.Errorf("a form with a trailer: answer %d: %s", got.status, got.body)
	}
}

// TestChecksumsOfParts: for a composite checksum of the object, clients must send the parts'
// checksums.
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

// TestChecksumAtTheEnd: the client may send the checksum of the whole object.
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

// TestFullObjectWithoutParts: S3 computes a part's checksum itself if only the whole object's
// counts.
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
