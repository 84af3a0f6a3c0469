//go:build linux

package isolation

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Nodes is the number of nodes.
const Nodes = 2

// Addresses of the network, which no other namespace can reach.
const (
	// ControlPlane is the address of the API server and of DNS.
	ControlPlane = "172.30.0.1"
	// PodNetwork has the addresses of Pods.
	PodNetwork = "10.88.0.0/16"
)

// Node returns the address of a node, which are numbered from 0.
func Node(n int) string { return fmt.Sprintf("172.30.0.%d", 11+n) }

// createNetwork creates the interface with the addresses of the control plane and of two nodes. The
// packets of Pods are forwarded, and everything else has a route that leads nowhere: programs search
// for a default route at their start.
func createNetwork() error {
	for _, line := range []string{
		"link set lo up",
		"link add name node0 type veth peer name nowhere",
		"address add " + ControlPlane + "/24 dev node0",
		"address add " + Node(0) + "/24 dev node0",
		"address add " + Node(1) + "/24 dev node0",
		"link set node0 up",
		"link set nowhere up",
		"route add default via 172.30.0.254 dev node0",
	} {
		if out, err := exec.CommandContext(context.Background(), "ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", line, err, out)
		}
	}
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o600)
}
