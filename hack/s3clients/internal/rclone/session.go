// Package rclone does the operations with rclone.
package rclone

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/command"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

type session struct {
	command.Shell
	client.Target
	dir string
}

// Open begins a session with the program at path. The remote "s3" is made of the
// Secret, and of nothing that would spare the store a request. It is not said to be
// AWS, for which rclone would not do path style, but to do what AWS does.
func Open(path string, t client.Target) (client.Session, error) {
	env, err := t.EnvironProxy()
	if err != nil {
		return nil, err
	}
	style := "true"
	if t.Secret.Virtual() {
		style = "false"
	}
	// rclone takes the certificate authority as an argument, and fails when it finds
	// one in the environment.
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "AWS_CA_BUNDLE=") })
	env = append(env,
		"RCLONE_CONFIG="+filepath.Join(t.Dir, "rclone.conf"), "RCLONE_CONFIG_S3_TYPE=s3", "RCLONE_CONFIG_S3_PROVIDER=Other",
		"RCLONE_CONFIG_S3_ENV_AUTH=true", "RCLONE_CONFIG_S3_ENDPOINT="+t.Secret.Endpoint(), "RCLONE_CONFIG_S3_REGION="+t.Secret.Region(),
		"RCLONE_CONFIG_S3_LOCATION_CONSTRAINT="+t.Secret.Region(), "RCLONE_CONFIG_S3_FORCE_PATH_STYLE="+style,
		"RCLONE_CONFIG_S3_LIST_VERSION=2", "RCLONE_CONFIG_S3_LIST_URL_ENCODE=true", "RCLONE_CONFIG_S3_USE_MULTIPART_ETAG=true",
		"RCLONE_RETRIES=1", "RCLONE_LOW_LEVEL_RETRIES=2")
	args := []string{"--quiet"}
	authority, err := t.Secret.AuthorityFile(t.Dir)
	if err != nil {
		return nil, err
	}
	if authority != "" {
		args = append(args, "--ca-cert", authority)
	}
	s := &session{Shell: command.Shell{Program: path, Args: args, Env: env, Dir: t.Dir}, Target: t, dir: t.Dir}
	return command.Operations{
		operation.PutGet: s.putGet, operation.Head: s.head, operation.Delete: s.delete, operation.Range: s.ranges,
		operation.List: s.list, operation.Paginate: s.paginate, operation.Delimiter: s.delimiter, operation.ListBuckets: s.listBuckets,
		operation.Copy: s.copy, operation.CopyParts: s.copyParts, operation.Multipart: s.multipart, operation.Stream: s.stream,
		operation.Sync: s.sync, operation.Move: s.move, operation.OddKeys: s.oddKeys,
		operation.Metadata: s.metadata, operation.Headers: s.headers,
		operation.Versions: s.versions, operation.OldVersion: s.oldVersion, operation.PresignedGet: s.presignedGet,
		operation.WrongSecret: s.wrongSecret, operation.UnknownKey: s.unknownKey,
		operation.Anonymous: s.anonymous, operation.OtherBucket: s.otherBucket,
		operation.SignatureV2: s.signatureV2,
	}, nil
}

// remote returns what rclone calls a key of the bucket.
func (s *session) remote(key string) string { return "s3:" + s.Secret.Bucket() + "/" + key }

func (s *session) put(ctx context.Context, key string, content []byte, args ...string) error {
	_, err := s.RunWith(ctx, strings.NewReader(string(content)), append([]string{"rcat", s.remote(key)}, args...)...)
	return err
}

func (s *session) get(ctx context.Context, key string, args ...string) ([]byte, error) {
	out, err := s.Run(ctx, append([]string{"cat", s.remote(key)}, args...)...)
	return []byte(out), err
}

// keys lists the paths below a prefix, which is a directory to rclone.
func (s *session) keys(ctx context.Context, prefix string, args ...string) ([]string, error) {
	out, err := s.Run(ctx, append([]string{"lsf", s.remote(prefix)}, args...)...)
	return slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return line == "" }), err
}
