package realcluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
)

// builtDir is the directory of the programs and the release that `make cluster-programs` builds, from the
// directory of this module, in which its tests run.
var builtDir = filepath.Join("..", "..", "bin", "realcluster")

// Program is the program of the release.
var Program = filepath.Join(builtDir, "cosi-emu")

// pluginDir is the directory of Debian's package containernetworking-plugins.
const pluginDir = "/usr/lib/cni"

// tools are the programs of the tests and the release.
func tools() []string { return []string{"app", "olddriver", "cosi-emu"} }

// nodePrograms are the programs of a cluster that `cosi-emu setup` does not get.
func nodePrograms() []string {
	return []string{"containerd", "containerd-shim-runc-v2", "ctr", "kubelet", "kube-scheduler", "kube-proxy", "dns"}
}

// programs has the paths of all programs.
type programs struct {
	binaries.Set

	dir string
}

func (p programs) built(name string) string { return filepath.Join(p.dir, name) }

// Missing returns a sentence about what the tests require and this machine lacks, or nothing.
func Missing() string {
	if missing := MissingOnMachine(); missing != "" {
		return missing
	}
	if _, err := find(); err != nil {
		return err.Error()
	}
	return ""
}

// MissingOnMachine is Missing without the programs that are built.
func MissingOnMachine() string {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return "a node requires root on Linux"
	}
	if _, err := os.Stat("/sys/fs/cgroup"); err != nil {
		return "a node requires cgroups in /sys/fs/cgroup"
	}
	for _, name := range []string{"runc", "iptables", "ip", "unshare", "nsenter", filepath.Join(pluginDir, "ptp")} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Sprintf("a node requires %s: apt-get install runc iptables iproute2 util-linux containernetworking-plugins", name)
		}
	}
	return ""
}

func find() (programs, error) {
	p, err := findBuilt(append(tools(), nodePrograms()...))
	if err != nil {
		return p, err
	}
	p.Set, err = binaries.Find(context.Background(), binaries.Options{Local: true})
	if err != nil {
		return p, fmt.Errorf("find the control plane: %w; `make setup` gets it", err)
	}
	return p, nil
}

// findBuilt expects these programs in builtDir.
func findBuilt(names []string) (programs, error) {
	dir, err := filepath.Abs(builtDir)
	if err != nil {
		return programs{}, err
	}
	p := programs{dir: dir}
	for _, name := range names {
		if _, err := os.Stat(p.built(name)); err != nil {
			return p, fmt.Errorf("%w; `make cluster-programs` builds it", err)
		}
	}
	return p, nil
}
