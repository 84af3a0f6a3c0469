// Package catalogue lists the clients that are tried and finds them on this
// machine. It exists so that a missing client is said to be missing, instead of
// being forgotten.
package catalogue

import (
	"context"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
)

// source is where clients come from: one, or none, or one for each version that
// is installed.
type source struct {
	name string
	// debian is the package that has it, or empty.
	debian string
	find   func(context.Context) ([]client.Client, error)
}

var sources = []source{
	{name: "aws-sdk-go-v2", find: library("aws-sdk-go-v2")},
	{name: "minio-go", find: library("minio-go")},
	{name: "awscli", debian: "awscli", find: findAWSCLI},
	{name: "boto3", debian: "python3-boto3", find: findBoto3},
	{name: "s3cmd", debian: "s3cmd", find: findS3cmd},
	{name: "rclone", debian: "rclone", find: findRclone},
}

// Missing is a client that is not tried.
type Missing struct {
	Name string
	Why  error
}

// Find returns the clients whose name contains one of the words in only, or all
// if that is empty, and those that are missing. With install it installs these
// before, where it can.
func Find(ctx context.Context, install bool, only []string) (found []client.Client, missing []Missing) {
	for _, s := range sources {
		if !wanted(s.name, only) {
			continue
		}
		clients, err := s.find(ctx)
		if err != nil && install {
			if err = s.install(ctx); err == nil {
				clients, err = s.find(ctx)
			}
		}
		if err != nil {
			missing = append(missing, Missing{Name: s.name, Why: err})
		}
		found = append(found, clients...)
	}
	return found, missing
}

func wanted(name string, only []string) bool {
	for _, word := range only {
		if strings.Contains(name, word) {
			return true
		}
	}
	return len(only) == 0
}

func (s source) notFound() error {
	if s.debian == "" {
		return client.ErrMissing
	}
	return fmt.Errorf("%w; on Debian it is in the package %s", client.ErrMissing, s.debian)
}
