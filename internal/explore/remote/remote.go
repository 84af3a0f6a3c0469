// Package remote keeps the states of explorations in an S3 bucket, for machines that end with the
// exploration. A state is named by a path or by s3://BUCKET/KEY. The environment has the
// credentials, with the names of the keys in the Secret of a BucketAccess.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
)

// Suffix ends the names of states in a directory or below a prefix.
const Suffix = ".state"

const scheme = "s3://"

// IsURL reports whether a name means an object in a bucket, and not a local file.
func IsURL(name string) bool { return strings.HasPrefix(name, scheme) }

// Join returns the name of a file in a directory, or below a prefix of a bucket.
func Join(dir, file string) string {
	if IsURL(dir) {
		return strings.TrimSuffix(dir, "/") + "/" + file
	}
	return filepath.Join(dir, file)
}

// Object is an object in a bucket. It need not exist.
type Object struct {
	url, bucket, key string
	client           *s3.Client
}

// Open returns the object of s3://BUCKET/KEY, with the credentials of an environment. It makes
// no request.
func Open(url string, getenv func(string) string) (*Object, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(url, scheme), "/")
	if !IsURL(url) || bucket == "" || key == "" {
		return nil, fmt.Errorf("state %q must be s3://BUCKET/KEY", url)
	}
	for _, variable := range []string{v1alpha2.SecretKeyS3AccessKeyID, v1alpha2.SecretKeyS3SecretAccessKey} {
		if getenv(variable) == "" {
			return nil, fmt.Errorf("state %s: %s is not set; take it from the Secret of a BucketAccess to the bucket", url, variable)
		}
	}
	options, transport, err := s3access.Options(getenv)
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", url, err)
	}
	if options.Region == "" {
		return nil, fmt.Errorf("state %s: %s is not set", url, v1alpha2.SecretKeyS3Region)
	}
	transport.Proxy = http.ProxyFromEnvironment
	transport.DisableKeepAlives = true // requests are rare
	return &Object{url: url, bucket: bucket, key: key, client: s3.New(options)}, nil
}

// Read returns the content. The error is os.ErrNotExist if the object does not exist.
func (o *Object) Read(ctx context.Context) ([]byte, error) {
	out, err := o.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &o.bucket, Key: &o.key})
	if _, missing := errors.AsType[*types.NoSuchKey](err); missing {
		return nil, fmt.Errorf("%s: %w", o.url, os.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.url, err)
	}
	data, err := io.ReadAll(out.Body)
	if err = errors.Join(err, out.Body.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", o.url, err)
	}
	return data, nil
}

// Write replaces the content.
func (o *Object) Write(ctx context.Context, data []byte) error {
	_, err := o.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &o.bucket, Key: &o.key, Body: bytes.NewReader(data)})
	if err != nil {
		return fmt.Errorf("write %s: %w", o.url, err)
	}
	return nil
}

// list returns the states below the object's name.
func (o *Object) list(ctx context.Context) ([]string, error) {
	var found []string
	pages := s3.NewListObjectsV2Paginator(o.client, &s3.ListObjectsV2Input{Bucket: &o.bucket, Prefix: &o.key})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", o.url, err)
		}
		for _, object := range page.Contents {
			if strings.HasSuffix(*object.Key, Suffix) {
				found = append(found, scheme+o.bucket+"/"+*object.Key)
			}
		}
	}
	return found, nil
}

// ReadFile returns the content of a file, or of s3://BUCKET/KEY.
func ReadFile(ctx context.Context, getenv func(string) string, name string) ([]byte, error) {
	if !IsURL(name) {
		return os.ReadFile(name)
	}
	object, err := Open(name, getenv)
	if err != nil {
		return nil, err
	}
	return object.Read(ctx)
}

// Expand replaces each directory, and each s3://BUCKET/PREFIX/, by the states in it. It returns an
// error if there are none.
func Expand(ctx context.Context, getenv func(string) string, names ...string) ([]string, error) {
	var all []string
	for _, name := range names {
		states, err := expand(ctx, getenv, name)
		if err != nil {
			return nil, err
		}
		if len(states) == 0 {
			return nil, fmt.Errorf("%s has no file *%s", name, Suffix)
		}
		all = append(all, states...)
	}
	return all, nil
}

func expand(ctx context.Context, getenv func(string) string, name string) ([]string, error) {
	if IsURL(name) {
		if !strings.HasSuffix(name, "/") {
			return []string{name}, nil
		}
		prefix, err := Open(name, getenv)
		if err != nil {
			return nil, err
		}
		return prefix.list(ctx)
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil //nolint:nilerr // whoever reads it reports the error
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("list the states: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() || !strings.HasSuffix(e.Name(), Suffix) })
	var found []string
	for _, entry := range entries {
		found = append(found, filepath.Join(name, entry.Name()))
	}
	return found, nil
}
