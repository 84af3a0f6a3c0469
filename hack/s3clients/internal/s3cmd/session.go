// Package s3cmd does the operations with s3cmd.
package s3cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/command"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/tree"
)

type session struct {
	command.Shell
	client.Target
	dir string
}

// Open begins a session with the program at path.
func Open(path string, t client.Target) (client.Session, error) {
	env, err := t.EnvironPython()
	if err != nil {
		return nil, err
	}
	config, err := configure(t)
	if err != nil {
		return nil, err
	}
	shell := command.Shell{Program: path, Args: []string{"--config", config, "--no-progress"}, Env: env, Dir: t.Dir}
	s := &session{Shell: shell, Target: t, dir: t.Dir}
	return command.Operations{
		operation.PutGet: s.putGet, operation.Head: s.head, operation.Delete: s.delete, operation.Range: s.ranges,
		operation.List: s.list, operation.Paginate: s.paginate, operation.Delimiter: s.delimiter, operation.ListBuckets: s.listBuckets,
		operation.Copy: s.copy, operation.CopyParts: s.copyParts, operation.Multipart: s.multipart, operation.Stream: s.stream,
		operation.Sync: s.sync, operation.Move: s.move, operation.DeleteMany: s.deleteMany, operation.OddKeys: s.oddKeys,
		operation.Metadata: s.metadata, operation.Headers: s.headers,
		operation.WrongSecret: s.wrongSecret, operation.UnknownKey: s.unknownKey, operation.OtherBucket: s.otherBucket,
		operation.SignatureV2: s.signatureV2, operation.PresignedGetV2: s.presignedGetV2,
	}, nil
}

// configure writes the file that s3cmd reads everything from.
func configure(t client.Target) (string, error) {
	host, err := t.Secret.Host()
	if err != nil {
		return "", err
	}
	template := host
	if t.Secret.Virtual() {
		template = "%(bucket)s." + host
	}
	lines := []string{
		"[default]", "access_key = " + t.Secret.AccessKeyID(), "secret_key = " + t.Secret.SecretAccessKey(),
		"host_base = " + host, "host_bucket = " + template, "bucket_location = " + t.Secret.Region(),
		fmt.Sprintf("use_https = %t", t.Secret.HTTPS()), fmt.Sprintf("signurl_use_https = %t", t.Secret.HTTPS()),
		"multipart_copy_chunk_size_mb = 6", "max_retries = 1",
	}
	authority, err := t.Secret.AuthorityFile(t.Dir)
	if err != nil {
		return "", err
	}
	if authority != "" {
		lines = append(lines, "ca_certs_file = "+authority)
	}
	config := filepath.Join(t.Dir, "s3cfg")
	return config, os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// url returns what s3cmd calls a key of the bucket.
func (s *session) url(key string) string { return "s3://" + s.Secret.Bucket() + "/" + key }

func (s *session) put(ctx context.Context, key string, content []byte, args ...string) error {
	if err := tree.Write(s.dir, map[string][]byte{"up": content}); err != nil {
		return err
	}
	_, err := s.Run(ctx, append([]string{"put", filepath.Join(s.dir, "up"), s.url(key)}, args...)...)
	return err
}

func (s *session) expect(ctx context.Context, key string, want []byte) error {
	down := filepath.Join(s.dir, "down")
	if _, err := s.Run(ctx, "get", "--force", s.url(key), down); err != nil {
		return err
	}
	return tree.ExpectFile(down, want)
}

// keys lists keys, and common prefixes unless it is told to be recursive.
func (s *session) keys(ctx context.Context, prefix string, args ...string) ([]string, error) {
	out, err := s.Run(ctx, append([]string{"ls", s.url(prefix)}, args...)...)
	if err != nil {
		return nil, err
	}
	var keys []string
	for line := range strings.Lines(out) {
		if _, key, ok := strings.Cut(strings.TrimRight(line, "\n"), s.url("")); ok {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
