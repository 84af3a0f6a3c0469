package binaries

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/remote"
	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

const (
	// AssetsVariable is envtest's environment variable for a directory with control plane
	// programs.
	AssetsVariable = "KUBEBUILDER_ASSETS"

	// DefaultReleaseURL is the URL of Kubernetes releases.
	DefaultReleaseURL = "https://dl.k8s.io"

	// DefaultConnectTimeout is the time limit for the first answer of a download's server.
	// After it, the programs are built instead.
	DefaultConnectTimeout = 5 * time.Second

	// DefaultIndexTimeout is the time limit for the list of releases with Options.NoBuild: a caller
	// that does not wait for a build should not wait for an unresponsive network.
	DefaultIndexTimeout = 750 * time.Millisecond

	// DefaultStallTimeout is the time limit for the next byte of a download.
	DefaultStallTimeout = 30 * time.Second
)

// Options configure Find. The zero value uses all sources.
type Options struct {
	// Dir is a directory with the programs. If set, Find uses no other source. It defaults to the
	// environment variable KUBEBUILDER_ASSETS.
	Dir string
	// CacheDir has one directory for each version and platform. It defaults to
	// cosi-emu/controlplane in $XDG_CACHE_HOME or in the operating system's cache
	// directory.
	CacheDir string
	// Complete retries a kube-controller-manager that an earlier run could not get. Otherwise, a
	// set without it is used.
	Complete bool
	// NoBuild returns an *UnavailableError instead of building programs, and instead of waiting for
	// another process that gets them.
	NoBuild bool
	// Local returns an *UnavailableError if the programs are not on this machine.
	Local bool
	// IndexURL lists the releases of envtest. It defaults to envtest's own.
	IndexURL string
	// ReleaseURL is the URL of Kubernetes releases. It defaults to DefaultReleaseURL.
	ReleaseURL string
	// ConnectTimeout and StallTimeout are the time limits of a download: for the first
	// answer, and between two bytes. They default to DefaultConnectTimeout and
	// DefaultStallTimeout.
	ConnectTimeout, StallTimeout time.Duration
	// IndexTimeout is the time limit for the list of releases. It defaults to
	// DefaultIndexTimeout with NoBuild, and otherwise to ConnectTimeout.
	IndexTimeout time.Duration
	// GoCommand is the go command for builds. It defaults to the one in PATH.
	GoCommand string
	// Progress, if set, receives the progress of Find, from one goroutine at a time. It is not
	// called if the programs are cached.
	Progress func(Update)

	platform versions.Platform
	module   module
}

var thisPlatform = versions.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}

func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" && o.CacheDir == "" {
		dir, err := defaultCacheDir()
		if err != nil {
			return o, err
		}
		o.CacheDir = dir
	}
	setDefault(&o.IndexURL, remote.DefaultIndexURL)
	setDefault(&o.ReleaseURL, DefaultReleaseURL)
	setDefault(&o.ConnectTimeout, DefaultConnectTimeout)
	setDefault(&o.StallTimeout, DefaultStallTimeout)
	if o.NoBuild {
		setDefault(&o.IndexTimeout, min(DefaultIndexTimeout, o.ConnectTimeout))
	}
	setDefault(&o.IndexTimeout, o.ConnectTimeout)
	setDefault(&o.GoCommand, "go")
	setDefault(&o.platform, thisPlatform)
	if o.Progress == nil {
		o.Progress = func(Update) {}
	}
	if o.module.targets == nil {
		o.module = kubernetesModule()
	}
	return o, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func defaultCacheDir() (string, error) {
	base := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) { // the XDG specification: relative paths are ignored
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("find a directory to keep the control plane programs in: %w", err)
		}
	}
	return filepath.Join(base, "cosi-emu", "controlplane"), nil
}
