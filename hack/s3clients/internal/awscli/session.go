// Package awscli does the operations with the AWS CLI, version 2.
package awscli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/command"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/tree"
)

type session struct {
	command.Shell
	client.Target
	bucket string
	dir    string
}

// Open begins a session with the program at path.
func Open(path string, t client.Target) (client.Session, error) {
	env, err := t.EnvironPython()
	if err != nil {
		return nil, err
	}
	style := "path"
	if t.Secret.Virtual() {
		style = "virtual"
	}
	config := filepath.Join(t.Dir, "config")
	if err := os.WriteFile(config, []byte("[default]\ns3 =\n  addressing_style = "+style+"\n"), 0o600); err != nil {
		return nil, err
	}
	env = append(env, "AWS_CONFIG_FILE="+config, "AWS_PAGER=", "AWS_MAX_ATTEMPTS=2", "COLUMNS=200")
	s := &session{
		Shell:  command.Shell{Program: path, Args: []string{"--endpoint-url", t.Secret.Endpoint(), "--output", "json"}, Env: env, Dir: t.Dir},
		Target: t, bucket: t.Secret.Bucket(), dir: t.Dir,
	}
	return command.Operations{
		operation.PutGet: s.putGet, operation.Head: s.head, operation.Delete: s.delete, operation.Range: s.ranges,
		operation.List: s.list, operation.Paginate: s.paginate, operation.Delimiter: s.delimiter, operation.ListBuckets: s.listBuckets,
		operation.Copy: s.copy, operation.CopyParts: s.copyParts, operation.Multipart: s.multipart, operation.Stream: s.stream,
		operation.Sync: s.sync, operation.Move: s.move, operation.DeleteMany: s.deleteMany, operation.OddKeys: s.oddKeys,
		operation.Metadata: s.metadata, operation.Headers: s.headers, operation.Attributes: s.attributes,
		operation.ObjectTagging: s.objectTagging, operation.BucketTagging: s.bucketTagging,
		operation.Versions: s.versions, operation.OldVersion: s.oldVersion, operation.Undelete: s.undelete,
		operation.GetCondition: s.getCondition, operation.PresignedGet: s.presignedGet,
		operation.CRC32: s.checksum("CRC32"), operation.CRC32C: s.checksum("CRC32C"),
		operation.SHA1: s.checksum("SHA1"), operation.SHA256: s.checksum("SHA256"),
		operation.WrongSecret: s.wrongSecret, operation.UnknownKey: s.unknownKey,
		operation.Anonymous: s.anonymous, operation.OtherBucket: s.otherBucket,
	}, nil
}

// url returns what the s3 commands call a key of the bucket.
func (s *session) url(key string) string { return "s3://" + s.bucket + "/" + key }

// api runs an s3api command on the bucket, and decodes its answer unless into is
// nil.
func (s *session) api(ctx context.Context, into any, name string, args ...string) error {
	out, err := s.Run(ctx, append([]string{"s3api", name, "--bucket", s.bucket}, args...)...)
	if err != nil {
		return err
	}
	if into == nil || out == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		return fmt.Errorf("answer to %s: %w", name, err)
	}
	return nil
}

// upload writes the file that is to be uploaded, and returns its path.
func (s *session) upload(content []byte) (string, error) {
	path := filepath.Join(s.dir, "up")
	return path, os.WriteFile(path, content, 0o600)
}

func (s *session) put(ctx context.Context, key string, content []byte, args ...string) error {
	path, err := s.upload(content)
	if err != nil {
		return err
	}
	return s.api(ctx, nil, "put-object", append([]string{"--key", key, "--body", path}, args...)...)
}

func (s *session) expect(ctx context.Context, key string, want []byte, args ...string) error {
	path := filepath.Join(s.dir, "down")
	if err := s.api(ctx, nil, "get-object", append([]string{"--key", key, path}, args...)...); err != nil {
		return err
	}
	return tree.ExpectFile(path, want)
}
