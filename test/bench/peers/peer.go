package peers

import (
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

const (
	bucket = "bench"
	region = fakedriver.DefaultRegion
)

// Peer is another S3 server.
type Peer struct {
	// Name is also the name of the program.
	Name string
	// Package and Version are the package that the go command builds.
	Package, Version string
	// Bar is how many times the peer's requests/s the store must reach.
	Bar float64
	// Durability describes how the server persists an upload before it answers.
	Durability string
	// Args are the arguments of the server for a directory and an address.
	Args func(dir, address string) []string
	// Env has the environment of the server with its first key.
	Env func(k fakedriver.Credentials) []string
}

// Known are the servers that are compared. Their versions are pinned here only.
func Known() []Peer {
	return []Peer{
		{
			Name: "versitygw", Package: "github.com/versity/versitygw/cmd/versitygw", Version: "v1.8.0", Bar: 1.3,
			Durability: "no fsync: a crash of the machine loses uploads of the last seconds",
			Args: func(dir, address string) []string {
				// Without --keep-alive each request needs a new connection.
				return []string{"--port", address, "--region", region, "--quiet", "--keep-alive", "posix", dir}
			},
			Env: func(k fakedriver.Credentials) []string {
				return []string{"ROOT_ACCESS_KEY=" + k.AccessKeyID, "ROOT_SECRET_KEY=" + k.SecretAccessKey}
			},
		},
		{
			// The last release that is a Go module; later ones have no tags of this form.
			Name: "minio", Package: "github.com/minio/minio", Version: "v0.0.0-20260212201848-7aac2a2c5b7c", Bar: 2,
			Durability: "O_DSYNC for the file of a small object, and no fsync of its directory",
			Args: func(dir, address string) []string {
				return []string{"server", "--quiet", "--address", address, "--certs-dir", filepath.Join(dir, "certs"), filepath.Join(dir, "data")}
			},
			Env: func(k fakedriver.Credentials) []string {
				return []string{
					"MINIO_ROOT_USER=" + k.AccessKeyID, "MINIO_ROOT_PASSWORD=" + k.SecretAccessKey,
					"MINIO_BROWSER=off", "MINIO_UPDATE=off", "MINIO_REGION=" + region,
				}
			},
		},
	}
}
