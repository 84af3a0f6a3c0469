package realcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
	"github.com/cosi-emu/cosi-emu/test/realcluster/process"
)

// Node is a kubelet with containerd.
type Node struct {
	// Name is the name of its object.
	Name string

	number     int
	dir        string
	ctrCommand []string
	containerd *process.Process
	kubelet    *process.Process
}

// nodeName returns the name of a node, which are numbered from 0.
func nodeName(n int) string { return fmt.Sprintf("node-%d", n) }

// newNode prepares a node, which is not started.
func (c *Cluster) newNode(n int) (*Node, error) {
	node := &Node{Name: nodeName(n), number: n, dir: filepath.Join(c.dir, nodeName(n))}
	node.ctrCommand = []string{c.programs.built("ctr"), "--address=" + node.socket()}
	if err := errors.Join(os.MkdirAll(filepath.Join(node.dir, "cni"), 0o700), os.Mkdir(node.kubeletDir(), 0o700)); err != nil {
		return nil, err
	}
	enter, err := isolation.NodeMounts(node.kubeletDir())
	if err != nil {
		return nil, err
	}
	kubeconfig, err := c.ids.kubeconfig("system:node:"+node.Name, "system:nodes")
	if err != nil {
		return nil, err
	}
	containerdConfig, err := node.writeContainerdConfig()
	if err != nil {
		return nil, err
	}
	kubeletConfig, err := node.writeKubeletConfig(c.ids.file(authorityFile))
	if err != nil {
		return nil, err
	}
	// containerd starts its shim from PATH.
	path := "PATH=" + c.programs.dir + ":" + os.Getenv("PATH")
	node.containerd = c.process(node.Name+"-containerd", enter[0],
		append(enter[1:2:2], c.programs.built("containerd"), "--config="+containerdConfig)...)
	node.containerd.Env = []string{path}
	node.kubelet = c.process(node.Name+"-kubelet", enter[0], append(enter[1:2:2], c.programs.built("kubelet"),
		"--kubeconfig="+kubeconfig, "--config="+kubeletConfig, "--hostname-override="+node.Name, "--node-ip="+isolation.Node(n))...)
	return node, nil
}

func (n *Node) kubeletDir() string { return filepath.Join(n.dir, "kubelet") }

// PluginDir returns the directory of a CSI driver on this machine.
func (n *Node) PluginDir(driver string) string {
	return filepath.Join(n.kubeletDir(), "plugins", driver)
}

// Mounts returns the directories where the node has file systems.
func (n *Node) Mounts() ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", n.kubelet.ID()))
	var targets []string
	for line := range strings.Lines(string(text)) {
		const target = 4 // proc(5)
		targets = append(targets, strings.Fields(line)[target])
	}
	return targets, err
}

// Start starts containerd, and then kubelet.
func (n *Node) Start(tb testing.TB) {
	tb.Helper()
	if err := n.containerd.Start(); err != nil {
		tb.Fatal(err)
	}
	harness.Until(tb, "containerd of "+n.Name+" answers", func(ctx context.Context) (bool, error) {
		return n.ctr(ctx, nil, "version") == nil, n.containerd.Err()
	})
	if err := n.kubelet.Start(); err != nil {
		tb.Fatal(err)
	}
}

// Kill kills kubelet and containerd. The containers run on.
func (n *Node) Kill() error { return errors.Join(n.kubelet.Kill(), n.containerd.Kill()) }

// Err returns an error if a program of the node has exited.
func (n *Node) Err() error { return errors.Join(n.containerd.Err(), n.kubelet.Err()) }

func (n *Node) socket() string { return "/run/" + n.Name + ".sock" }

// importImage imports the image of an archive.
func (n *Node) importImage(tb testing.TB, archive string) {
	tb.Helper()
	file, err := os.Open(archive)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read from
	if err := n.ctr(harness.Context(tb), file, "--namespace=k8s.io", "images", "import", "-"); err != nil {
		tb.Fatal(err)
	}
}

// tagImage gives an image another name.
func (n *Node) tagImage(tb testing.TB, image, name string) {
	tb.Helper()
	if err := n.ctr(harness.Context(tb), nil, "--namespace=k8s.io", "images", "tag", "--force", image, name); err != nil {
		tb.Fatal(err)
	}
}

func (n *Node) ctr(ctx context.Context, input io.Reader, args ...string) error {
	args = append(n.ctrCommand[1:len(n.ctrCommand):len(n.ctrCommand)], args...)
	cmd := exec.CommandContext(ctx, n.ctrCommand[0], args...)
	cmd.Stdin = input
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: ctr %v: %w: %s", n.Name, args, err, out)
	}
	return nil
}
