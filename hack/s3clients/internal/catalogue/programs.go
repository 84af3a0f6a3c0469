package catalogue

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/awscli"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/boto3"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/rclone"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/s3cmd"
)

// askTimeout bounds asking a program for its version.
const askTimeout = 20 * time.Second

// candidates returns all programs of a name in PATH: the first one may be another
// version than the one that is wanted.
func candidates(name string) []string {
	var paths []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if _, err := exec.LookPath(path); err == nil && filepath.IsAbs(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// ask returns the first line that a program prints.
func ask(ctx context.Context, path string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

// program returns the first program of a name in PATH whose version reads like
// one, with what stands between before and the next space as its version.
func program(ctx context.Context, name, before string, open func(string, client.Target) (client.Session, error),
	args ...string,
) ([]client.Client, error) {
	for _, path := range candidates(name) {
		if _, after, ok := strings.Cut(ask(ctx, path, args...), before); ok {
			version, _, _ := strings.Cut(after, " ")
			return []client.Client{{Name: name, Version: version, Open: func(t client.Target) (client.Session, error) {
				return open(path, t)
			}}}, nil
		}
	}
	return nil, client.ErrMissing
}

// findAWSCLI finds version 2: version 1 is another program.
func findAWSCLI(ctx context.Context) ([]client.Client, error) {
	found, err := program(ctx, "aws", "aws-cli/2", awscli.Open, "--version")
	for i := range found {
		found[i].Name, found[i].Version = "awscli", "2"+found[i].Version
	}
	return found, err
}

func findS3cmd(ctx context.Context) ([]client.Client, error) {
	return program(ctx, "s3cmd", "s3cmd version ", s3cmd.Open, "--version")
}

func findRclone(ctx context.Context) ([]client.Client, error) {
	return program(ctx, "rclone", "rclone ", rclone.Open, "version")
}

// findBoto3 finds every version that a Python in PATH has: what a system ships
// is older than what applications bring along, and behaves differently.
func findBoto3(ctx context.Context) ([]client.Client, error) {
	var found []client.Client
	for _, path := range candidates("python3") {
		version := ask(ctx, path, "-c", "import boto3; print(boto3.__version__)")
		known := slices.ContainsFunc(found, func(c client.Client) bool { return c.Version == version })
		if version == "" || known {
			continue
		}
		found = append(found, client.Client{Name: "boto3", Version: version, Open: func(t client.Target) (client.Session, error) {
			return boto3.Open(path, t)
		}})
	}
	if found == nil {
		return nil, client.ErrMissing
	}
	return found, nil
}
