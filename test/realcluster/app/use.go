package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// keys are the keys of the Secret that an application needs.
var keys = []string{
	"BUCKET_NAME", "AWS_ENDPOINT_URL", "AWS_DEFAULT_REGION", "AWS_S3_ADDRESSING_STYLE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
}

// bucket is the bucket of a Secret.
type bucket struct {
	*s3.Client

	name *string
}

// open returns the bucket of the Secret.
func open(files string) (bucket, error) {
	secret, err := read(files)
	if err != nil {
		return bucket{}, err
	}
	return bucket{name: aws.String(secret["BUCKET_NAME"]), Client: s3.New(s3.Options{
		BaseEndpoint: aws.String(secret["AWS_ENDPOINT_URL"]), Region: secret["AWS_DEFAULT_REGION"],
		Credentials:  credentials.NewStaticCredentialsProvider(secret["AWS_ACCESS_KEY_ID"], secret["AWS_SECRET_ACCESS_KEY"], ""),
		UsePathStyle: secret["AWS_S3_ADDRESSING_STYLE"] == "path",
	})}, nil
}

// empty deletes all objects.
func empty(ctx context.Context, files string) error {
	b, err := open(files)
	if err != nil {
		return err
	}
	pages := s3.NewListObjectsV2Paginator(b, &s3.ListObjectsV2Input{Bucket: b.name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, object := range page.Contents {
			if _, err := b.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: b.name, Key: object.Key}); err != nil {
				return err
			}
		}
	}
	return nil
}

// use stores an object, reads it, and deletes it.
func use(ctx context.Context, files string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	b, err := open(files)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	key, content := "from-"+host, time.Now().String()
	if err := b.put(ctx, key, content); err != nil {
		return err
	}
	if err := b.expect(ctx, key, content); err != nil {
		return err
	}
	_, err = b.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: b.name, Key: &key})
	return err
}

// kept is the key of the object of keep and check.
const kept = "kept"

func keep(ctx context.Context, files string) error {
	b, err := open(files)
	if err != nil {
		return err
	}
	return b.put(ctx, kept, *b.name)
}

func check(ctx context.Context, files string) error {
	b, err := open(files)
	if err != nil {
		return err
	}
	return b.expect(ctx, kept, *b.name)
}

func (b bucket) put(ctx context.Context, key, content string) error {
	_, err := b.PutObject(ctx, &s3.PutObjectInput{Bucket: b.name, Key: &key, Body: strings.NewReader(content)})
	return err
}

func (b bucket) expect(ctx context.Context, key, want string) error {
	object, err := b.GetObject(ctx, &s3.GetObjectInput{Bucket: b.name, Key: &key})
	if err != nil {
		return err
	}
	defer object.Body.Close() //nolint:errcheck // only read from
	got, err := io.ReadAll(object.Body)
	if err != nil {
		return err
	}
	if string(got) != want {
		return fmt.Errorf("object %s/%s is %q, want %q", *b.name, key, got, want)
	}
	return nil
}

// read returns the Secret: the files of a directory, or variables.
func read(files string) (map[string]string, error) {
	secret := map[string]string{}
	for _, key := range keys {
		value := os.Getenv(key)
		if files != "" {
			data, err := os.ReadFile(filepath.Join(files, key)) //nolint:gosec // the directory of the command line
			if err != nil {
				return nil, err
			}
			value = string(data)
		}
		if value == "" {
			return nil, fmt.Errorf("%s is empty", key)
		}
		secret[key] = value
	}
	return secret, nil
}
