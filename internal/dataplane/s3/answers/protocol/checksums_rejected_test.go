package protocol_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestChecksumTypes: not every algorithm supports both types.
//
//nolint:lll // one case a line
func TestChecksumTypes(t *testing.T) {
	a := s3test.NewApp(t)
	for algorithm := range s3test.Algorithms {
		for kind, can := range kinds {
			want := "InvalidRequest"
			for _, possible := range can {
				if possible == algorithm {
					want = ""
				}
			}
			_, err := a.S3.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
				Bucket: a.Bucket, Key: new("k"), ChecksumAlgorithm: algorithm, ChecksumType: kind,
			})
			a.Rejected(string(algorithm)+" as "+string(kind), err, want)
		}
	}
	for name, header := range map[string][]string{
		"no such algorithm": {"X-Amz-Checksum-Algorithm", "MD9"}, "no such type": {"X-Amz-Checksum-Algorithm", "CRC32", "X-Amz-Checksum-Type", "HALF"},
		"a type of nothing": {"X-Amz-Checksum-Type", "FULL_OBJECT"},
	} {
		if got := a.Raw(http.MethodPost, "/k?uploads", "", header...); got.Status != 400 || s3test.Code(t, got.Body) != "InvalidRequest" {
			t.Errorf("%s: answer %d: %s", name, got.Status, got.Body)
		}
	}
	got := a.Raw(http.MethodPost, "/k?uploads", "", "X-Amz-Checksum-Algorithm", "crc32", "X-Amz-Checksum-Type", "full_object")
	if got.Status != http.StatusOK || got.Header.Get("X-Amz-Checksum-Type") != "FULL_OBJECT" {
		t.Errorf("in lower case: answer %d, %v", got.Status, got.Header)
	}
}

// TestChecksumsIgnored: a header about a checksum takes effect, or is rejected.
//
//nolint:lll // one case a line
func TestChecksumsIgnored(t *testing.T) {
	a := s3test.NewApp(t)
	const (
		algorithm, trailer, content = "X-Amz-Sdk-Checksum-Algorithm", "X-Amz-Trailer", "7\r\ncontent\r\n0\r\n"
		name                        = "x-amz-checksum-crc32"
	)
	right := s3test.ChecksumOf("CRC32", "content")
	stream := []string{"X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "X-Amz-Decoded-Content-Length", "7"}
	u := a.Begin("parts")
	target := "/parts?uploadId=" + *u.UploadId
	part := a.Part(u, 1, "part")
	completion := "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + *part.ETag + "</ETag></Part></CompleteMultipartUpload>"
	const deletion = "<Delete><Object><Key>kept</Key><Size>1</Size></Object></Delete>"
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
		"TwoAtTheEnd":     {"Which one counts?", "POST", target, completion, []string{name, s3test.ChecksumOf("CRC32", "part"), "X-Amz-Checksum-Sha1", s3test.ChecksumOf("SHA1", "trap")}, "InvalidRequest"},
		"TypeAtTheEnd":    {"S3 has no such.", "POST", target, completion, []string{"X-Amz-Checksum-Type", "HALF"}, "InvalidRequest"},
		"Conditions":      {"They are of directory buckets.", "POST", "?delete", deletion, []string{"Content-Md5", s3test.MD5Of(deletion)}, "NotImplemented"},
	}
	a.Put("kept", "content")
	for test, tc := range tests {
		t.Run(test, func(t *testing.T) {
			got := a.In(t).Raw(tc.method, tc.target, tc.body, tc.header...)
			found := s3test.CodeOf(got.Body)
			if _, rest, listed := strings.Cut(got.Body, "<Code>"); listed && found == "" {
				found, _, _ = strings.Cut(rest, "<")
			}
			if found != tc.want {
				t.Errorf("%s\nanswer %d, want %q: %s", tc.reason, got.Status, tc.want, got.Body)
			}
		})
	}
	if content, _ := a.Read("kept", ""); content != "content" {
		t.Errorf("what was not to be deleted is %q", content)
	}
	f := a.Form()
	f.Fields["x-amz-trailer"] = name
	if got := a.Post(f); s3test.CodeOf(got.Body) != "InvalidRequest" {
		t.Errorf("a form with a trailer: answer %d: %s", got.Status, got.Body)
	}
}

// TestChecksumsOfParts: for a composite checksum of the object, clients must send the parts'
// checksums.
func TestChecksumsOfParts(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "SHA256" })
	target := "/k?partNumber=1&uploadId=" + *u.UploadId
	if got := a.Raw(http.MethodPut, target, "part"); s3test.Code(t, got.Body) != "InvalidRequest" {
		t.Errorf("a part without a checksum: answer %d: %s", got.Status, got.Body)
	}
	got := a.Raw(http.MethodPut, target, "part", "X-Amz-Checksum-Crc32", s3test.ChecksumOf("CRC32", "part"))
	if s3test.Code(t, got.Body) != "InvalidRequest" {
		t.Errorf("a part with another checksum: answer %d: %s", got.Status, got.Body)
	}
	got = a.Raw(http.MethodPut, target, "part", "X-Amz-Checksum-Sha256", s3test.ChecksumOf("SHA256", "trap"))
	if s3test.Code(t, got.Body) != "BadDigest" {
		t.Errorf("a part with a wrong checksum: answer %d: %s", got.Status, got.Body)
	}
	part := a.Part(u, 1, "part")
	_, err := a.Complete(u, types.CompletedPart{PartNumber: part.PartNumber, ETag: part.ETag})
	a.Rejected("without the part's checksum", err, "InvalidRequest")
	_, err = a.Complete(u, types.CompletedPart{
		PartNumber: part.PartNumber, ETag: part.ETag, ChecksumSHA256: aws.String(s3test.ChecksumOf("SHA256", "trap")),
	})
	a.Rejected("with another checksum of the part", err, "InvalidPart")
	_, err = a.Complete(u, part)
	a.Must(err)
}

// TestChecksumAtTheEnd: the client may send the checksum of the whole object.
//
//nolint:lll // one case a line
func TestChecksumAtTheEnd(t *testing.T) {
	a := s3test.NewApp(t)
	tests := map[string]struct {
		reason string
		change func(*s3.CompleteMultipartUploadInput)
		want   string
	}{
		"Right": {"It is that.", func(in *s3.CompleteMultipartUploadInput) {
			in.ChecksumCRC32 = aws.String(s3test.ChecksumOf("CRC32", "part"))
		}, ""},
		"Wrong": {"It is another.", func(in *s3.CompleteMultipartUploadInput) {
			in.ChecksumCRC32 = aws.String(s3test.ChecksumOf("CRC32", "trap"))
		}, "BadDigest"},
		"Type":      {"It is of the whole.", func(in *s3.CompleteMultipartUploadInput) { in.ChecksumType = "FULL_OBJECT" }, ""},
		"WrongType": {"It is of the whole.", func(in *s3.CompleteMultipartUploadInput) { in.ChecksumType = "COMPOSITE" }, "InvalidRequest"},
		"Size":      {"It is that.", func(in *s3.CompleteMultipartUploadInput) { in.MpuObjectSize = aws.Int64(4) }, ""},
		"WrongSize": {"It is another.", func(in *s3.CompleteMultipartUploadInput) { in.MpuObjectSize = aws.Int64(5) }, "InvalidRequest"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			u := a.Begin(name, func(in *s3.CreateMultipartUploadInput) {
				in.ChecksumAlgorithm, in.ChecksumType = "CRC32", "FULL_OBJECT"
			})
			in := &s3.CompleteMultipartUploadInput{
				Bucket: a.Bucket, Key: &name, UploadId: u.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{a.Part(u, 1, "part")}},
			}
			tc.change(in)
			_, err := a.S3.CompleteMultipartUpload(t.Context(), in)
			a.Rejected(tc.reason, err, tc.want)
		})
	}
}

// TestFullObjectWithoutParts: S3 computes a part's checksum itself if only the whole object's
// counts.
func TestFullObjectWithoutParts(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "CRC64NVME" })
	got := a.Raw(http.MethodPut, "/k?partNumber=1&uploadId="+*u.UploadId, "part")
	if got.Status != http.StatusOK {
		t.Fatalf("answer %d: %s", got.Status, got.Body)
	}
	done, err := a.Complete(u, types.CompletedPart{PartNumber: aws.Int32(1), ETag: aws.String(got.Header.Get("Etag"))})
	a.Must(err)
	if want := s3test.ChecksumOf("CRC64NVME", "part"); aws.ToString(done.ChecksumCRC64NVME) != want {
		t.Errorf("completed with %v, want %s", done.ChecksumCRC64NVME, want)
	}
}
