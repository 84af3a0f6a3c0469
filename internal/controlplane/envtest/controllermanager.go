//go:build unix

package envtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// controllerManagerUser is the user to whom the default roles of an API server grant the rights of
// a controller manager.
const controllerManagerUser = "system:kube-controller-manager"

// controllers returns the controllers that COSI and its users need: for the end of namespaces, for
// owner references, for default ServiceAccounts, for the ClusterRoles view, edit and admin, and for
// ResourceQuotas.
func controllers() []string {
	return []string{
		"namespace-controller", "garbage-collector-controller", "serviceaccount-controller",
		"clusterrole-aggregation-controller", "resourcequota-controller",
	}
}

// podControllers returns the controllers that nodes and workloads need.
func podControllers() []string {
	return []string{
		"deployment-controller", "replicaset-controller", "statefulset-controller", "daemonset-controller", "job-controller",
		"cronjob-controller", "replicationcontroller-controller", "disruption-controller", "ttl-after-finished-controller",
		"pod-garbage-collector-controller", "node-lifecycle-controller", "taint-eviction-controller",
		"endpoints-controller", "endpointslice-controller", "root-ca-certificate-publisher-controller",
	}
}

// controllerManager is kube-controller-manager, which envtest does not support.
type controllerManager struct {
	files layout
	users *apiServer
	names []string // of the controllers

	cmd  *exec.Cmd
	done chan struct{} // closed when the process has exited
}

func newControllerManager(files layout, users *apiServer, pods bool) *controllerManager {
	m := &controllerManager{files: files, users: users, names: controllers()}
	if pods {
		m.names = append(m.names, podControllers()...)
	}
	return m
}

func (m *controllerManager) start(log *os.File) error {
	kubeconfig, err := m.writeKubeconfig()
	if err != nil {
		return err
	}
	m.cmd = exec.Command(m.files.launcher(controlplane.ControllerManager), //nolint:noctx // the component ends it
		"--kubeconfig="+kubeconfig,
		"--controllers="+strings.Join(m.names, ","),
		// Each controller uses its own ServiceAccount, with only its rights.
		"--use-service-account-credentials",
		"--leader-elect=false",
		"--secure-port=0",
		// The API server admits an object that comes before it knows the limits of a new
		// ResourceQuota. The next synchronization counts it; the default is 5 minutes.
		"--resource-quota-sync-period=5s",
	)
	m.cmd.Stdout, m.cmd.Stderr = log, log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := m.cmd.Start(); err != nil {
		return err
	}
	m.done = make(chan struct{})
	go func() {
		defer close(m.done)
		_ = m.cmd.Wait() // the log explains more than the exit code
	}()
	return nil
}

func (m *controllerManager) process() (*os.Process, error) { return m.cmd.Process, nil }

func (m *controllerManager) stop() error {
	if m.done == nil {
		return nil
	}
	err := m.cmd.Process.Signal(syscall.SIGTERM)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-m.done
	return nil
}

func (m *controllerManager) writeKubeconfig() (string, error) {
	cfg, err := m.users.user(controllerManagerUser)
	if err != nil {
		return "", err
	}
	data, err := controlplane.NewKubeconfig(cfg)
	if err != nil {
		return "", err
	}
	path := filepath.Join(m.files.certs(), controlplane.ControllerManager+".kubeconfig")
	return path, os.WriteFile(path, data, 0o600)
}
