package awsgo

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/worker"
)

// sum is a checksum: how to claim one, and where an answer has it.
type sum struct {
	size  int
	claim func(*s3.PutObjectInput, *string)
	put   func(*s3.PutObjectOutput) *string
	head  func(*s3.HeadObjectOutput) *string
}

var sums = map[types.ChecksumAlgorithm]sum{
	types.ChecksumAlgorithmCrc32: {
		4, func(in *s3.PutObjectInput, v *string) { in.ChecksumCRC32 = v },
		func(o *s3.PutObjectOutput) *string { return o.ChecksumCRC32 },
		func(o *s3.HeadObjectOutput) *string { return o.ChecksumCRC32 },
	},
	types.ChecksumAlgorithmCrc32c: {
		4, func(in *s3.PutObjectInput, v *string) { in.ChecksumCRC32C = v },
		func(o *s3.PutObjectOutput) *string { return o.ChecksumCRC32C },
		func(o *s3.HeadObjectOutput) *string { return o.ChecksumCRC32C },
	},
	types.ChecksumAlgorithmSha1: {
		20, func(in *s3.PutObjectInput, v *string) { in.ChecksumSHA1 = v },
		func(o *s3.PutObjectOutput) *string { return o.ChecksumSHA1 },
		func(o *s3.HeadObjectOutput) *string { return o.ChecksumSHA1 },
	},
	types.ChecksumAlgorithmSha256: {
		32, func(in *s3.PutObjectInput, v *string) { in.ChecksumSHA256 = v },
		func(o *s3.PutObjectOutput) *string { return o.ChecksumSHA256 },
		func(o *s3.HeadObjectOutput) *string { return o.ChecksumSHA256 },
	},
	types.ChecksumAlgorithmCrc64nvme: {
		8, func(in *s3.PutObjectInput, v *string) { in.ChecksumCRC64NVME = v },
		func(o *s3.PutObjectOutput) *string { return o.ChecksumCRC64NVME },
		func(o *s3.HeadObjectOutput) *string { return o.ChecksumCRC64NVME },
	},
}

func (s *session) addChecksums(operations worker.Operations) {
	for id, algorithm := range map[operation.ID]types.ChecksumAlgorithm{
		operation.CRC32: types.ChecksumAlgorithmCrc32, operation.CRC32C: types.ChecksumAlgorithmCrc32c,
		operation.SHA1: types.ChecksumAlgorithmSha1, operation.SHA256: types.ChecksumAlgorithmSha256,
		operation.CRC64NVME: types.ChecksumAlgorithmCrc64nvme,
	} {
		operations[id] = func(ctx context.Context) error { return s.checksum(ctx, algorithm) }
	}
}

func (s *session) checksum(ctx context.Context, algorithm types.ChecksumAlgorithm) error {
	key, content, of := "checksum/"+string(algorithm), sample.Content(11, sample.Small), sums[algorithm]
	put, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: &key, Body: reader(content), ChecksumAlgorithm: algorithm})
	if err != nil {
		return err
	}
	head, err := s.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled})
	if err != nil {
		return err
	}
	if aws.ToString(of.head(head)) == "" {
		return errors.New("no checksum came back")
	}
	if err := check.Equal("the checksum", aws.ToString(of.head(head)), aws.ToString(of.put(put))); err != nil {
		return err
	}
	lie := &s3.PutObjectInput{Bucket: s.bucket, Key: &key, Body: reader([]byte("other"))}
	of.claim(lie, new(base64.StdEncoding.EncodeToString(make([]byte, of.size))))
	_, err = s.s3.PutObject(ctx, lie)
	if err := check.Rejected(err, "BadDigest"); err != nil {
		return err
	}
	return s.expect(ctx, key, content)
}
