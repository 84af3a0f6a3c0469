package controlplane

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// apiServer is envtest's kube-apiserver.
type apiServer struct {
	envtest.APIServer
	files   layout
	usersMu sync.Mutex // envtest's certificate authority is not safe for concurrent use
}

func newAPIServer(files layout, port int, etcdURL *url.URL, timeout time.Duration) *apiServer {
	s := &apiServer{files: files, APIServer: envtest.APIServer{
		EtcdURL:      etcdURL,
		Path:         files.launcher(APIServer),
		CertDir:      files.certs(),
		StartTimeout: timeout,
		StopTimeout:  stopTimeout,
	}}
	s.Address = loopback
	s.Port = strconv.Itoa(port)
	// Without this, the API server searches for an external address of this machine, for
	// the endpoint of Service kubernetes. It would not start on a machine without a
	// network.
	s.Configure().Set("advertise-address", loopback)
	s.Configure().Set("endpoint-reconciler-type", "none")
	return s
}

func (s *apiServer) start(log *os.File) error {
	s.Out, s.Err = log, log
	return errors.Join(s.Start(), restrict(s.files.certs()))
}

// restrict removes the group's permissions from the files in dir, which envtest sets:
// some files are private keys.
func restrict(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.Chmod(filepath.Join(dir, entry.Name()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s *apiServer) process() (*os.Process, error) { return readPID(s.files.pid(APIServer)) }

func (s *apiServer) stop() error { return s.Stop() }

// user returns a client configuration of a user with that name and groups.
func (s *apiServer) user(name string, groups ...string) (*rest.Config, error) {
	s.usersMu.Lock()
	defer s.usersMu.Unlock()
	return s.AddUser(envtest.User{Name: name, Groups: groups}, &rest.Config{
		Host:            s.SecureServing.URL("https", "").String(),
		TLSClientConfig: rest.TLSClientConfig{CAData: s.CA},
		QPS:             -1, // the API server has priority and fairness
	})
}
