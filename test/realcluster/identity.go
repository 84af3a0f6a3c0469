package realcluster

import (
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
)

// Names of files in the directory of a control plane.
const (
	authorityFile      = "ca.crt"
	servingCertificate = "apiserver.crt"
	servingKey         = "apiserver.key"
	kubeletCertificate = "apiserver-kubelet-client.crt"
	kubeletKey         = "apiserver-kubelet-client.key"
	tokenKey           = "service-account.key"
)

// serviceIP is the address of Service kubernetes: the first one of serviceNetwork.
const (
	serviceNetwork = "10.96.0.0/16"
	serviceIP      = "10.96.0.1"
	apiServerURL   = "https://" + isolation.ControlPlane + ":6443"
)

// apiServerNames are the names and addresses in the API server's certificate.
func apiServerNames() []string {
	return []string{isolation.ControlPlane, serviceIP, "kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", "127.0.0.1"}
}

// identities signs the certificates of a cluster, and writes them to a directory.
type identities struct {
	dir       string
	authority *certs.Authority
}

func newIdentities(dir string) (*identities, error) {
	authority, err := certs.New(apiServerNames()...)
	if err != nil {
		return nil, err
	}
	i := &identities{dir: dir, authority: authority}
	tokens, err := certs.NewKeyPEM()
	if err != nil {
		return nil, err
	}
	kubelet, err := authority.NewClient("kube-apiserver", controlplane.AdminGroup)
	if err != nil {
		return nil, err
	}
	if err := i.write(map[string][]byte{
		authorityFile: authority.CertificatePEM(), tokenKey: tokens,
		kubeletCertificate: kubelet.CertificatePEM, kubeletKey: kubelet.KeyPEM,
	}); err != nil {
		return nil, err
	}
	if err := i.renewServing(); err != nil {
		return nil, err
	}
	return i, nil
}

// renewServing writes a new certificate of the API server, which reads it again when it changes.
func (i *identities) renewServing() error {
	serving, err := i.authority.NewServer("kube-apiserver", apiServerNames()...)
	if err != nil {
		return err
	}
	return i.write(map[string][]byte{servingCertificate: serving.CertificatePEM, servingKey: serving.KeyPEM})
}

func (i *identities) write(files map[string][]byte) error {
	for name, content := range files {
		if err := os.WriteFile(i.file(name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (i *identities) file(name string) string { return filepath.Join(i.dir, name) }

// config returns the client configuration of a user in these groups.
func (i *identities) config(user string, groups ...string) (*rest.Config, error) {
	pair, err := i.authority.NewClient(user, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{Host: apiServerURL, QPS: -1, TLSClientConfig: rest.TLSClientConfig{
		CAData: i.authority.CertificatePEM(), CertData: pair.CertificatePEM, KeyData: pair.KeyPEM,
	}}, nil
}

// kubeconfig writes a kubeconfig of a user in these groups, and returns its file.
func (i *identities) kubeconfig(user string, groups ...string) (string, error) {
	cfg, err := i.config(user, groups...)
	if err != nil {
		return "", err
	}
	data, err := controlplane.NewKubeconfig(cfg)
	if err != nil {
		return "", err
	}
	name := filepath.Base(user) + ".kubeconfig"
	return i.file(name), i.write(map[string][]byte{name: data})
}
