//go:build unix

package envtest

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
	crenvtest "sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// Names of files that envtest or kube-apiserver expects in the directory of the
// certificates.
const (
	servingCert    = "apiserver.crt"
	servingKey     = "apiserver.key"
	clientCA       = "client-ca.crt"
	serviceAccount = "service-account.key"
	nodeClientCert = "kubelet-client.crt"
	nodeClientKey  = "kubelet-client.key"
)

// apiServer is envtest's kube-apiserver, with certificates of our own: envtest's expire after a
// week.
type apiServer struct {
	crenvtest.APIServer
	files     layout
	listen    controlplane.Listen
	authority *certs.Authority
}

func newAPIServer(files layout, port int, opts controlplane.Options) (*apiServer, error) {
	authority, err := certs.New(opts.Listen.Beyond()...)
	if err != nil {
		return nil, err
	}
	s := &apiServer{files: files, listen: opts.Listen, authority: authority, APIServer: crenvtest.APIServer{
		EtcdURL:      &url.URL{Scheme: "unix", Host: strings.TrimPrefix(etcdClients, "unix://")},
		Path:         files.launcher(controlplane.APIServer),
		CertDir:      files.certs(),
		StartTimeout: opts.StartTimeout,
		StopTimeout:  stopTimeout,
	}}
	s.Address = opts.Listen.Bind()
	s.Port = strconv.Itoa(port)
	s.Authn = clientCertificates{s}
	s.Configure().
		Set("service-account-key-file", filepath.Join(files.certs(), serviceAccount)).
		Set("service-account-signing-key-file", filepath.Join(files.certs(), serviceAccount)).
		// Otherwise the API server searches for an external address of this machine, for the
		// endpoint of Service kubernetes. It would not start on a machine without a network.
		Set("advertise-address", tcpport.Loopback).
		Set("endpoint-reconciler-type", "none")
	if opts.Pods {
		s.connectNodes()
	}
	if err := s.writeCertificates(); err != nil {
		return nil, err
	}
	return s, nil
}

// connectNodes has the API server connect to nodes with a certificate. It also enables the admission
// plugin that gives Pods the token of their ServiceAccount, which envtest disables.
func (s *apiServer) connectNodes() {
	s.Configure().
		Disable("disable-admission-plugins").
		Set("kubelet-certificate-authority", filepath.Join(s.files.certs(), clientCA)).
		Set("kubelet-client-certificate", filepath.Join(s.files.certs(), nodeClientCert)).
		Set("kubelet-client-key", filepath.Join(s.files.certs(), nodeClientKey)).
		// The name of a node is no host name.
		Set("kubelet-preferred-address-types", "InternalIP")
}

// writeCertificates writes missing certificates in place of envtest.
func (s *apiServer) writeCertificates() error {
	serving, err := s.authority.NewServer("kube-apiserver", s.listen.Names()...)
	if err != nil {
		return err
	}
	node, err := s.authority.NewClient(controlplane.NodeClient)
	if err != nil {
		return err
	}
	tokenKey, err := certs.NewKeyPEM()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		servingCert:    serving.CertificatePEM,
		servingKey:     serving.KeyPEM,
		clientCA:       s.authority.CertificatePEM(),
		serviceAccount: tokenKey,
		nodeClientCert: node.CertificatePEM,
		nodeClientKey:  node.KeyPEM,
	} {
		if err := os.WriteFile(filepath.Join(s.files.certs(), name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s *apiServer) start(log *os.File) error {
	s.Out, s.Err = log, log
	return s.Start()
}

func (s *apiServer) process() (*os.Process, error) {
	return readPID(s.files.pid(controlplane.APIServer))
}

func (s *apiServer) stop() error { return s.Stop() }

// user returns a client configuration of a user with that name and groups.
func (s *apiServer) user(name string, groups ...string) (*rest.Config, error) {
	return s.AddUser(crenvtest.User{Name: name, Groups: groups}, &rest.Config{
		Host:            "https://" + net.JoinHostPort(s.listen.Host(), s.Port),
		TLSClientConfig: rest.TLSClientConfig{CAData: s.authority.CertificatePEM()},
		QPS:             -1, // the API server has priority and fairness
	})
}

// clientCertificates is an envtest.Authn: users have certificates of the server's authority.
type clientCertificates struct{ server *apiServer }

func (c clientCertificates) Configure(dir string, args *crenvtest.Arguments) error {
	args.Set("client-ca-file", filepath.Join(dir, clientCA))
	return nil
}

func (clientCertificates) Start() error { return nil }

func (c clientCertificates) AddUser(user crenvtest.User, base *rest.Config) (*rest.Config, error) {
	pair, err := c.server.authority.NewClient(user.Name, user.Groups...)
	if err != nil {
		return nil, err
	}
	cfg := rest.CopyConfig(base)
	cfg.CertData, cfg.KeyData = pair.CertificatePEM, pair.KeyPEM
	return cfg, nil
}

func (clientCertificates) Stop() error { return nil }
