package release

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const module = "github.com/cosi-emu/cosi-emu"

type program struct {
	os, arch string
	path     string
}

func (p program) archive(version string) string { return p.base(version) + ".tar.gz" }

// base returns the common beginning of the names of all files for the platform.
func (p program) base(version string) string {
	return strings.Join([]string{"cosi-emu", version, p.os, p.arch}, "_")
}

// build builds the program for a platform. Its bytes depend on the commit, the version and
// the version of Go, and on no path of this machine.
func (o Options) build(ctx context.Context, dir, platform string) (program, error) {
	system, arch, _ := strings.Cut(platform, "/")
	p := program{os: system, arch: arch, path: filepath.Join(dir, system+"-"+arch, "cosi-emu")}
	flags := "-s -w -buildid= -X " + module + "/cmd/cosi-emu/internal/cli.release=" + o.Version
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", p.path, "./cmd/cosi-emu")
	cmd.Dir, cmd.Stdout, cmd.Stderr = o.Root, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=")
	if err := cmd.Run(); err != nil {
		return program{}, fmt.Errorf("build for %s: %w", platform, err)
	}
	return p, nil
}

// writeBeside writes the accompanying files of an archive, and returns them.
func (o Options) writeBeside(ctx context.Context, dir string) ([]file, error) {
	seconds := strconv.FormatInt(o.Time.Unix(), 10)
	cmd := exec.CommandContext(ctx, "go", "run", "./cmd/cosi-emu/internal/packaging", dir, o.Version, seconds)
	cmd.Dir, cmd.Stderr = o.Root, os.Stderr
	// The same flags as for the program let most of it compile only once.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOEXPERIMENT=")
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("write manual pages and completions: %w", err)
	}
	files, err := below(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		files = append(files, file{name: name, path: filepath.Join(o.Root, name), mode: 0o644})
	}
	return files, nil
}
