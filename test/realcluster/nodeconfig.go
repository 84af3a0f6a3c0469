package realcluster

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
)

// pauseImage is the image of the container that holds the namespaces of a Pod.
const pauseImage = "localhost/pause:test"

// containerdConfig: an unprivileged virtual machine forbids negative OOM scores. The plugins that are
// disabled use directories or sockets that two instances of containerd would share.
const containerdConfig = `version = 3
root = "%[1]s/containerd"
state = "/run/%[2]s"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri"]
[grpc]
address = "/run/%[2]s.sock"
[plugins."io.containerd.cri.v1.runtime"]
restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["%[3]s"]
conf_dir = "%[1]s/cni"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
Root = "/run/%[2]s-runc"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "%[4]s"
[plugins."io.containerd.grpc.v1.cri"]
stream_server_address = "127.0.0.1"
stream_server_port = "0"
`

// networkConfig: with ptp, every packet between two Pods passes the rules of Services on the node. On a
// bridge, answers would bypass them. Both nodes have the same list of addresses in use.
const networkConfig = `{"cniVersion": "1.0.0", "name": "pods", "plugins": [{
	"type": "ptp",
	"ipam": {"type": "host-local", "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}], "dataDir": "/run/cni"}
}]}
`

// kubeletConfig: nothing is evicted because the machine's disk is almost full.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: %[1]s
healthzBindAddress: %[1]s
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: %[2]s}}
authorization: {mode: Webhook}
containerRuntimeEndpoint: unix://%[3]s
cgroupDriver: cgroupfs
cgroupRoot: %[4]s
failCgroupV1: false
failSwapOn: false
enforceNodeAllocatable: []
evictionHard: {memory.available: 100Mi}
imageGCHighThresholdPercent: 100
podLogsDir: %[5]s
clusterDNS: [%[6]s]
clusterDomain: cluster.local
resolvConf: ""
`

func (n *Node) writeContainerdConfig() (string, error) {
	network := fmt.Appendf(nil, networkConfig, isolation.PodNetwork)
	if err := os.WriteFile(filepath.Join(n.dir, "cni", "pods.conflist"), network, 0o600); err != nil {
		return "", err
	}
	file := filepath.Join(n.dir, "containerd.toml")
	return file, os.WriteFile(file, fmt.Appendf(nil, containerdConfig, n.dir, n.Name, pluginDir, pauseImage), 0o600)
}

func (n *Node) writeKubeletConfig(authority string) (string, error) {
	file := filepath.Join(n.dir, "kubelet.yaml")
	return file, os.WriteFile(file, fmt.Appendf(nil, kubeletConfig, isolation.Node(n.number), authority, n.socket(),
		isolation.NodeCgroup(n.number), filepath.Join(isolation.Logs(), n.Name+"-pods"), isolation.ControlPlane), 0o600)
}
