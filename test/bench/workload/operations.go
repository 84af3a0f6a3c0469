package workload

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"
)

// Put stores an object.
func (s *Subject) Put(ctx context.Context, key string, content []byte) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader(content)})
	return err
}

// Get reads an object and returns its size in bytes.
func (s *Subject) Get(ctx context.Context, key string) (int64, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key)})
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, out.Body)
	if err != nil {
		return n, fmt.Errorf("read %s: %w", key, err)
	}
	return n, out.Body.Close()
}

// Groups lists the common prefixes of all keys.
func (s *Subject) Groups(ctx context.Context) ([]types.CommonPrefix, error) {
	out, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(bucket), Delimiter: aws.String("/")})
	if err != nil {
		return nil, err
	}
	return out.CommonPrefixes, nil
}

// Count lists all keys, page by page, and returns how many there are.
func (s *Subject) Count(ctx context.Context) (int, error) {
	keys := 0
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return keys, err
		}
		keys += len(page.Contents)
	}
	return keys, nil
}

// CountPlain is Count with a client that does not decode the list.
func (s *Subject) CountPlain(ctx context.Context) (int, error) { return s.plain.List(ctx) }

// Concurrently has the clients do something a number of times, and returns the
// first error.
func Concurrently(ctx context.Context, count int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for client := range Clients {
		group.Go(func() error {
			for i := client; i < count; i += Clients {
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// Prefixes is how many common prefixes numbered keys have.
const Prefixes = 100

// Key returns the i-th of keys that are spread over the prefixes.
func Key(i int) string { return fmt.Sprintf("prefix-%02d/object-%06d", i%Prefixes, i) }
