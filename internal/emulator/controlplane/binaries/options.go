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
	// AssetsVariable is the environment variable by which envtest's users name
	// a directory of control plane programs.
	AssetsVariable = "KUBEBUILDER_ASSETS"

	// DefaultReleaseURL is where Kubernetes publishes its programs.
	DefaultReleaseURL = "https://dl.k8s.io"

	// DefaultConnectTimeout is how long a download's server may take to answer
	// before the programs are built instead.
	DefaultConnectTimeout = 5 * time.Second

	// DefaultStallTimeout is how long a download may bring no byte before it is
	// given up.
	DefaultStallTimeout = 30 * time.Second
)

// Options say where Find looks. The zero value looks everywhere.
type Options struct {
	// Dir is a directory with the programs. If it is set, Find looks nowhere
	// else. If it is empty, the environment variable KUBEBUILDER_ASSETS takes
	// its place.
	Dir string
	// CacheDir is the directory that holds one directory for each version and
	// platform. The default is cosi-emu/controlplane in $XDG_CACHE_HOME or, if
	// that is not set, in the operating system's cache directory.
	CacheDir string
	// Complete asks to try again for a kube-controller-manager that an earlier
	// run could not get. Without it, a set that lacks it is used as it is.
	Complete bool
	// IndexURL lists the releases of envtest. The default is envtest's own.
	IndexURL string
	// ReleaseURL is where Kubernetes publishes its programs. The default is
	// DefaultReleaseURL.
	ReleaseURL string
	// ConnectTimeout and StallTimeout bound a download: until its server has
	// answered, and between two of its bytes. The defaults are
	// DefaultConnectTimeout and DefaultStallTimeout.
	ConnectTimeout, StallTimeout time.Duration
	// GoCommand is the go command that builds the programs. The default is the
	// one in PATH.
	GoCommand string
	// Progress, if set, is called with what Find does, from one goroutine at a
	// time. It is not called if the programs are at hand.
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
	if !filepath.IsAbs(base) { // the XDG specification: a relative path is to be ignored
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("find a directory to keep the control plane programs in: %w", err)
		}
	}
	return filepath.Join(base, "cosi-emu", "controlplane"), nil
}
