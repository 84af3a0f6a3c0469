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
		if err := createBucket(ctx, emu.Store(), b.BucketSpec); err != nil {
			return fmt.Errorf("create bucket %s: %w", b.Name, err)
		}
		dir := filepath.Join(c.dir, bucketsDir, b.Name)
		for _, key := range b.keys {
			if err := put(ctx, client, b.Name, key, filepath.Join(dir, filepath.FromSlash(key))); err != nil {
				return err
			}
		}
	}
	return nil
}

func createBucket(ctx context.Context, store emulator.Store, spec fakedriver.BucketSpec) error {
	existing, err := store.GetBucket(ctx, spec.Name)
	switch {
	case errors.Is(err, fakedriver.ErrNotExist):
		_, err = store.CreateBucket(ctx, spec)
	case err == nil && existing.Protocol != spec.Protocol:
		err = fmt.Errorf("it exists with protocol %s, and not %s; choose another name", existing.Protocol, spec.Protocol)
	}
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
