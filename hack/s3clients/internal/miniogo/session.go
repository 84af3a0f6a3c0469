// Package miniogo does the operations with minio-go.
package miniogo

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/secret"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/worker"
)

// Module is the module that is tried.
const Module = "github.com/minio/minio-go/v7"

type session struct {
	*minio.Client
	bucket string
	secret secret.Secret
	other  string
}

// Operations returns what the library has, for the Secret in the environment.
func Operations(context.Context) (worker.Operations, error) {
	given := secret.FromEnviron()
	s := &session{bucket: given.Bucket(), secret: given, other: os.Getenv("S3CLIENTS_OTHER_BUCKET")}
	var err error
	s.Client, err = s.client(credentials.NewStaticV4(given.AccessKeyID(), given.SecretAccessKey(), ""), false)
	if err != nil {
		return nil, err
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
		operation.SignatureV2: s.signatureV2, operation.PresignedGetV2: s.presignedGetV2, operation.PostPolicyUpload: s.postPolicy,
	}
	s.addChecksums(operations)
	return operations, nil
}

// client returns a client with other credentials, or one that sends checksums,
// for which minio-go wants to be told that it may send trailers.
func (s *session) client(c *credentials.Credentials, trailers bool) (*minio.Client, error) {
	host, err := s.secret.Host()
	if err != nil {
		return nil, err
	}
	transport, err := s.secret.Transport(os.Getenv("HTTP_PROXY"))
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupPath
	if s.secret.Virtual() {
		lookup = minio.BucketLookupDNS
	}
	return minio.New(host, &minio.Options{
		Creds: c, Secure: s.secret.HTTPS(), Transport: transport, Region: s.secret.Region(), BucketLookup: lookup,
		TrailingHeaders: trailers,
	})
}

func (s *session) put(ctx context.Context, key string, content []byte, opts minio.PutObjectOptions) (minio.UploadInfo, error) {
	return s.PutObject(ctx, s.bucket, key, bytes.NewReader(content), int64(len(content)), opts)
}

func (s *session) get(ctx context.Context, key string, opts minio.GetObjectOptions) ([]byte, error) {
	o, err := s.GetObject(ctx, s.bucket, key, opts)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.Close() }()
	return io.ReadAll(o)
}

func (s *session) expect(ctx context.Context, key string, want []byte) error {
	got, err := s.get(ctx, key, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	return check.Content(got, want)
}

func (s *session) keys(ctx context.Context, opts minio.ListObjectsOptions) ([]string, error) {
	var keys []string
	for o := range s.ListObjectsIter(ctx, s.bucket, opts) {
		if o.Err != nil {
			return nil, o.Err
		}
		keys = append(keys, o.Key)
	}
	return keys, nil
}

func (s *session) putAll(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if _, err := s.put(ctx, key, nil, minio.PutObjectOptions{}); err != nil {
			return err
		}
	}
	return nil
}
