package s3test

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// MinPart is the minimum size of a part that is not the last.
var MinPart = strings.Repeat("0123456789abcdef", 5<<20/16)

// Begin begins a multipart upload.
func (a *App) Begin(key string, change ...func(*s3.CreateMultipartUploadInput)) *s3.CreateMultipartUploadOutput {
	a.Helper()
	in := &s3.CreateMultipartUploadInput{Bucket: a.Bucket, Key: &key}
	for _, f := range change {
		f(in)
	}
	out, err := a.S3.CreateMultipartUpload(a.Context(), in)
	a.Must(err)
	return out
}

// Part uploads a part, and returns it for the completion, with the client's checksum, if any.
func (a *App) Part(u *s3.CreateMultipartUploadOutput, number int32, content string) types.CompletedPart {
	a.Helper()
	out, err := a.S3.UploadPart(a.Context(), &s3.UploadPartInput{
		Bucket: a.Bucket, Key: u.Key, UploadId: u.UploadId, PartNumber: &number, Body: strings.NewReader(content),
		ChecksumAlgorithm: u.ChecksumAlgorithm,
	})
	a.Must(err)
	return types.CompletedPart{
		PartNumber: &number, ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32, ChecksumCRC32C: out.ChecksumCRC32C,
		ChecksumCRC64NVME: out.ChecksumCRC64NVME, ChecksumSHA1: out.ChecksumSHA1, ChecksumSHA256: out.ChecksumSHA256,
	}
}

// Complete completes an upload.
func (a *App) Complete(u *s3.CreateMultipartUploadOutput, parts ...types.CompletedPart) (*s3.CompleteMultipartUploadOutput, error) {
	a.Helper()
	return a.S3.CompleteMultipartUpload(a.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: a.Bucket, Key: u.Key, UploadId: u.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
}

// Parts lists all pages of the parts of an upload.
func (a *App) Parts(u *s3.CreateMultipartUploadOutput, size int32) (all []types.Part) {
	a.Helper()
	pages := s3.NewListPartsPaginator(a.S3, &s3.ListPartsInput{Bucket: a.Bucket, Key: u.Key, UploadId: u.UploadId, MaxParts: aws.Int32(size)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(a.Context())
		a.Must(err)
		if len(page.Parts) > int(size) {
			a.Errorf("a page of %d has %d parts", size, len(page.Parts))
		}
		all = append(all, page.Parts...)
	}
	return all
}
