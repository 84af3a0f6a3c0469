package realcluster

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
	"github.com/cosi-emu/cosi-emu/test/realcluster/process"
)

// User names to which Kubernetes grants the rights of its components.
const (
	controllerManagerUser = "system:kube-controller-manager"
	schedulerUser         = "system:kube-scheduler"
	proxyUser             = "system:kube-proxy"
)

const etcdURL = "http://127.0.0.1:2379"

func (c *Cluster) etcd() *process.Process {
	return c.process("etcd", c.programs.Etcd,
		"--data-dir="+filepath.Join(c.dir, "etcd"), "--listen-client-urls="+etcdURL, "--advertise-client-urls="+etcdURL,
		"--listen-peer-urls=http://127.0.0.1:2380", "--unsafe-no-fsync")
}

func (c *Cluster) apiServer() *process.Process {
	return c.process("kube-apiserver", c.programs.APIServer,
		"--etcd-servers="+etcdURL,
		"--advertise-address="+isolation.ControlPlane,
		"--tls-cert-file="+c.ids.file(servingCertificate), "--tls-private-key-file="+c.ids.file(servingKey),
		"--client-ca-file="+c.ids.file(authorityFile),
		"--kubelet-client-certificate="+c.ids.file(kubeletCertificate), "--kubelet-client-key="+c.ids.file(kubeletKey),
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-key-file="+c.ids.file(tokenKey), "--service-account-signing-key-file="+c.ids.file(tokenKey),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-cluster-ip-range="+serviceNetwork, "--allow-privileged", // as clusters have it, for node plugins
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction")
}

func (c *Cluster) controllerManager() (*process.Process, error) {
	kubeconfig, err := c.ids.kubeconfig(controllerManagerUser)
	return c.process("kube-controller-manager", c.programs.ControllerManager,
		"--kubeconfig="+kubeconfig, "--use-service-account-credentials", "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file="+c.ids.file(tokenKey), "--root-ca-file="+c.ids.file(authorityFile)), err
}

func (c *Cluster) scheduler() (*process.Process, error) {
	kubeconfig, err := c.ids.kubeconfig(schedulerUser)
	return c.process("kube-scheduler", c.programs.built("kube-scheduler"),
		"--kubeconfig="+kubeconfig, "--leader-elect=false", "--secure-port=0"), err
}

// proxy makes Services reachable, in the network that both nodes share.
func (c *Cluster) proxy() (*process.Process, error) {
	kubeconfig, err := c.ids.kubeconfig(proxyUser)
	if err != nil {
		return nil, err
	}
	// The limits of conntrack belong to the machine's own network.
	config, err := c.file("kube-proxy.yaml", `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
bindAddress: %[1]s
hostnameOverride: %[2]s
clusterCIDR: %[3]s
detectLocalMode: ClusterCIDR
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
clientConnection: {kubeconfig: %[4]s}
conntrack: {maxPerCore: 0, min: 0, tcpCloseWaitTimeout: 0s, tcpEstablishedTimeout: 0s}
`, isolation.Node(0), nodeName(0), isolation.PodNetwork, kubeconfig)
	return c.process("kube-proxy", c.programs.built("kube-proxy"), "--config="+config), err
}

// dns resolves the names of Services.
func (c *Cluster) dns() (*process.Process, error) {
	kubeconfig, err := c.ids.kubeconfig("dns", controlplane.AdminGroup)
	if err != nil {
		return nil, err
	}
	config, err := c.file("Corefile", `.:53 {
	errors
	bind %s
	kubernetes cluster.local {
		kubeconfig %s
	}
}
`, isolation.ControlPlane, kubeconfig)
	return c.process("dns", c.programs.built("dns"), "-conf", config), err
}

// process returns a program whose log has its name.
func (c *Cluster) process(name, path string, args ...string) *process.Process {
	return &process.Process{Path: path, Args: args, LogFile: filepath.Join(isolation.Logs(), name+".log")}
}

// file writes a configuration, and returns its path.
func (c *Cluster) file(name, format string, args ...any) (string, error) {
	path := filepath.Join(c.dir, name)
	return path, os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600)
}
