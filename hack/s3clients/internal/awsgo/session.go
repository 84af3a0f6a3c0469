// Package awsgo does the operations with aws-sdk-go-v2, configured by the
// environment as LoadDefaultConfig does it, with nothing switched off.
package awsgo

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/secret"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/worker"
)

// Module is the module that is tried.
const Module = "github.com/aws/aws-sdk-go-v2/service/s3"

type session struct {
	s3     *s3.Client
	bucket *string
	secret secret.Secret
	other  string
}

// Operations returns what the SDK has, for the Secret in the environment.
func Operations(ctx context.Context) (worker.Operations, error) {
	given := secret.FromEnviron()
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{
		s3:     s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = !given.Virtual() }),
		bucket: new(given.Bucket()),
		secret: given,
		other:  os.Getenv("S3CLIENTS_OTHER_BUCKET"),
	}
	operations := worker.Operations{
		operation.PutGet: s.putGet, operation.Head: s.head, operation.Delete: s.delete, operation.Range: s.ranges,
		operation.List: s.list, operation.Paginate: s.paginate, operation.Delimiter: s.delimiter, operation.ListBuckets: s.listBuckets,
		operation.Copy: s.copy, operation.CopyParts: s.copyParts, operation.Multipart: s.multipart, operation.Stream: s.stream,
		operation.DeleteMany: s.deleteMany, operation.OddKeys: s.oddKeys,
		operation.Metadata: s.metadata, operation.Headers: s.headers, operation.Attributes: s.attributes,
		operation.ObjectTagging: s.objectTagging, operation.BucketTagging: s.bucketTagging,
		operation.Versions: s.versions, operation.OldVersion: s.oldVersion, operation.Undelete: s.undelete,
		operation.PutCondition: s.putCondition, operation.GetCondition: s.getCondition,
		operation.PresignedGet: s.presignedGet, operation.PresignedPut: s.presignedPut,
		operation.WrongSecret: s.wrongSecret, operation.UnknownKey: s.unknownKey,
		operation.Anonymous: s.anonymous, operation.OtherBucket: s.otherBucket,
	}
	s.addChecksums(operations)
	return operations, nil
}

func (s *session) put(ctx context.Context, key string, content []byte) error {
	_, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: &key, Body: reader(content)})
	return err
}

func (s *session) get(ctx context.Context, in *s3.GetObjectInput) ([]byte, error) {
	in.Bucket = s.bucket
	out, err := s.s3.GetObject(ctx, in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Body.Close() }()
	return io.ReadAll(out.Body)
}

// expect reads an object and compares it.
func (s *session) expect(ctx context.Context, key string, want []byte) error {
	got, err := s.get(ctx, &s3.GetObjectInput{Key: &key})
	if err != nil {
		return err
	}
	return check.Content(got, want)
}

func reader(content []byte) io.Reader { return bytes.NewReader(content) }
