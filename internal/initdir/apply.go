package initdir

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

// owner owns the buckets, which no driver has created.
const owner = "admin"

// Apply creates the buckets with their objects, and then applies the manifests, which may refer to
// the buckets. It keeps existing buckets and objects unchanged.
func (c *Contents) Apply(ctx context.Context, emu *emulator.Emulator) error {
	if err := c.fillStore(ctx, emu); err != nil {
		return err
	}
	for _, object := range c.objects {
		if err := manifest.Apply(ctx, emu.Client(), []*unstructured.Unstructured{object.Unstructured}); err != nil {
			return fmt.Errorf("%s: %w", object.Position, err)
		}
	}
	return nil
}

func (c *Contents) fillStore(ctx context.Context, emu *emulator.Emulator) error {
	if !c.HasBuckets() {
		return nil
	}
	if emu.Store() == nil {
		return fmt.Errorf("%s: %w", filepath.Join(c.dir, bucketsDir), env.ErrNoStore)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := rootClient(emu.Info(), transport)
	if err != nil {
		return err
	}
	for _, b := range c.buckets {
		dir := filepath.Join(c.dir, bucketsDir, b.name)
		if err := createBucket(ctx, emu.Store(), b.name); err != nil {
			return fmt.Errorf("%s: create the bucket: %w", dir, err)
		}
		for _, key := range b.keys {
			if err := put(ctx, client, b.name, key, filepath.Join(dir, filepath.FromSlash(key))); err != nil {
				return err
			}
		}
	}
	return nil
}

func createBucket(ctx context.Context, store emulator.Store, name string) error {
	_, err := store.GetBucket(ctx, name)
	if !errors.Is(err, fakedriver.ErrNotExist) {
		return err
	}
	_, err = store.CreateBucket(ctx, fakedriver.BucketSpec{Name: name, Owner: owner})
	return err
}

func put(ctx context.Context, client *s3.Client, bucket, key, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	input := &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: file, IfNoneMatch: aws.String("*")}
	if known := mime.TypeByExtension(filepath.Ext(path)); known != "" {
		input.ContentType = &known
	}
	_, err = client.PutObject(ctx, input)
	if rejected, ok := errors.AsType[smithy.APIError](err); ok && rejected.ErrorCode() == "PreconditionFailed" {
		return nil // it exists
	}
	if err != nil {
		return fmt.Errorf("%s: put object %s into bucket %s: %w", path, key, bucket, err)
	}
	return nil
}
