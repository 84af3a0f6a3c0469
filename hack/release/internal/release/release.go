// Package release makes the files of a release.
package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options describe a release.
type Options struct {
	// Root is the directory of the repository, and Out the directory of the files.
	Root, Out string
	Version   string
	// Platforms are the platforms, OS/ARCH.
	Platforms []string
	// Time is the time of all files, and the commit's.
	Time time.Time
}

// Platforms returns the platforms of a release.
func Platforms() []string {
	return []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}
}

// versionForm is the form of versions: tags of Go modules.
var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func (o Options) validate() error {
	if !versionForm.MatchString(o.Version) {
		return fmt.Errorf("version %q must have the form v1.2.3 or v1.2.3-rc.1", o.Version)
	}
	for _, platform := range o.Platforms {
		if !slices.Contains(Platforms(), platform) {
			return fmt.Errorf("platform %q must be one of %s", platform, strings.Join(Platforms(), ", "))
		}
	}
	return nil
}

// CommitTime returns the time of the commit of a repository. It rejects a working tree with
// changes, unless they are allowed, because the release could not be reproduced.
func CommitTime(ctx context.Context, root string, allowChanges bool) (time.Time, error) {
	text, err := output(ctx, root, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	changed, err := output(ctx, root, "git", "status", "--porcelain")
	if err != nil || changed == "" || allowChanges {
		return time.Unix(seconds, 0).UTC(), err
	}
	return time.Time{}, fmt.Errorf("the working tree has changes:\n%s\ncommit them, so that others can make the same release", changed)
}

// Make makes all files of a release, in an empty or missing directory.
func Make(ctx context.Context, o Options) error {
	if err := o.validate(); err != nil {
		return err
	}
	if err := makeEmpty(o.Out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "cosi-emu-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // temporary files
	beside, err := o.writeBeside(ctx, filepath.Join(work, "beside"))
	if err != nil {
		return err
	}
	var programs []program
	for _, platform := range o.Platforms {
		p, err := o.build(ctx, work, platform)
		if err != nil {
			return err
		}
		if err := errors.Join(o.writeArchive(p, beside), o.writeBill(p)); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		programs = append(programs, p)
	}
	if err := errors.Join(o.writeFormula(programs), o.writeChart(), o.writeImage(work, programs)); err != nil {
		return err
	}
	return o.writeChecksums()
}

func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // for everyone to read
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return fmt.Errorf("directory %s is not empty; delete it, or choose another one", dir)
	}
	return err
}

func (o Options) path(name string) string { return filepath.Join(o.Out, name) }

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
