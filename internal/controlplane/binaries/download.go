package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/remote"
	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

// errNotPublished means that envtest has no release for this version and
// platform.
var errNotPublished = errors.New("no release is published")

// download gets etcd and kube-apiserver from envtest's release, and kube-controller-manager from
// the release of Kubernetes.
func (c *cache) download(ctx context.Context, stage, bin string) (*manifest, error) {
	client := &remote.HTTPClient{IndexURL: c.opts.IndexURL}
	version, item, err := c.pickRelease(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("look up envtest's releases: %w", err)
	}
	archive := filepath.Join(stage, item.ArchiveName(version))
	err = c.fetch(ctx, archive, func(ctx context.Context, out io.Writer) error {
		return client.GetVersion(ctx, version, item, out)
	})
	if err != nil {
		return nil, fmt.Errorf("download envtest %s: %w", version, err)
	}
	if err := unpack(archive, bin, required); err != nil {
		return nil, fmt.Errorf("unpack envtest %s: %w", version, err)
	}
	m := &manifest{Version: "v" + version.String(), Source: "downloaded from the envtest release"}
	return m, c.addControllerManager(ctx, m, stage, bin)
}

// pickRelease returns the release of the requested version. envtest does not publish every patch
// version; the default is the latest patch of the same minor version.
func (c *cache) pickRelease(ctx context.Context, client remote.Client) (versions.Concrete, versions.PlatformItem, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.IndexTimeout, fmt.Errorf("no answer within %v", c.opts.IndexTimeout))
	defer cancel()
	sets, err := client.ListVersions(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return versions.Concrete{}, versions.PlatformItem{}, err
	}
	want, _ := versions.ExtractWithPlatform(versions.VersionPlatformRE, c.key[1:])
	if want == nil {
		return versions.Concrete{}, versions.PlatformItem{}, fmt.Errorf("%s is not a release version", c.opts.module.version)
	}
	return selectRelease(sets, *want, c.opts.platform)
}

// selectRelease requires that sets are sorted, latest first.
func selectRelease(
	sets []versions.Set, want versions.Concrete, platform versions.Platform,
) (versions.Concrete, versions.PlatformItem, error) {
	newest := versions.PatchSelector{Major: want.Major, Minor: want.Minor, Patch: versions.AnyPoint}
	for _, selector := range []versions.Selector{want, newest} {
		for _, set := range sets {
			for _, item := range set.Platforms {
				if selector.Matches(set.Version) && item.Platform == platform {
					return set.Version, item, nil
				}
			}
		}
	}
	err := fmt.Errorf("%w for Kubernetes %d.%d on %s", errNotPublished, want.Major, want.Minor, platform)
	return versions.Concrete{}, versions.PlatformItem{}, err
}

// addControllerManager gets kube-controller-manager, or records the reason for its absence in m.
func (c *cache) addControllerManager(ctx context.Context, m *manifest, stage, bin string) error {
	err := c.downloadControllerManager(ctx, m.Version, bin)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if c.opts.NoBuild {
		return &UnavailableError{err}
	}
	c.note("cannot download %s (%v); building it instead", ControllerManager, err)
	buildErr := c.build(ctx, stage, bin, c.opts.module.pick(ControllerManager))
	if buildErr == nil || ctx.Err() != nil {
		return buildErr
	}
	m.Missing = fmt.Sprintf("%s could neither be downloaded (%v) nor built (%v)", ControllerManager, err, buildErr)
	return os.RemoveAll(filepath.Join(bin, ControllerManager))
}

// hasServerPrograms reports whether Kubernetes publishes server programs for an
// operating system.
func hasServerPrograms(platform versions.Platform) error {
	if platform.OS == "linux" {
		return nil
	}
	return fmt.Errorf("%w: Kubernetes has no server programs for %s", errNotPublished, platform.OS)
}
