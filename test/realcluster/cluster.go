package realcluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
	"github.com/cosi-emu/cosi-emu/test/realcluster/process"
)

// Cluster is a running cluster. It ends with the test binary.
type Cluster struct {
	// Client and Clientset have all rights.
	client.Client
	*kubernetes.Clientset

	Config *rest.Config
	Nodes  []*Node

	dir      string
	programs programs
	ids      *identities
	running  []*process.Process
}

// Start starts a cluster with two nodes and all images, and returns when the nodes are ready. It skips the
// test on a machine that cannot have nodes. With KindVariable it uses a cluster of kind.
func Start(tb testing.TB) *Cluster {
	tb.Helper()
	if cluster := os.Getenv(KindVariable); cluster != "" {
		return startKind(tb, cluster)
	}
	if missing := Missing(); missing != "" {
		tb.Skip(missing)
	}
	c := &Cluster{dir: filepath.Join(isolation.Dir(), "cluster")}
	err := os.Mkdir(c.dir, 0o700)
	if err != nil {
		tb.Fatal(err)
	}
	if c.programs, err = find(); err != nil {
		tb.Fatal(err)
	}
	if c.ids, err = newIdentities(c.dir); err != nil {
		tb.Fatal(err)
	}
	c.startControlPlane(tb)
	c.startNodes(tb)
	return c
}

func (c *Cluster) startControlPlane(tb testing.TB) {
	tb.Helper()
	c.start(tb)(c.etcd(), nil)
	c.start(tb)(c.apiServer(), nil)
	c.connect(tb)
	for _, component := range []func() (*process.Process, error){c.controllerManager, c.scheduler, c.proxy, c.dns} {
		c.start(tb)(component())
	}
}

func (c *Cluster) start(tb testing.TB) func(*process.Process, error) {
	tb.Helper()
	return func(p *process.Process, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		if err := p.Start(); err != nil {
			tb.Fatal(err)
		}
		c.running = append(c.running, p)
	}
}

// connect waits for the API server, and connects to it as administrator.
func (c *Cluster) connect(tb testing.TB) {
	tb.Helper()
	var err error
	if c.Config, err = c.ids.config(controlplane.AdminUser, controlplane.AdminGroup); err != nil {
		tb.Fatal(err)
	}
	if c.Clientset, err = kubernetes.NewForConfig(c.Config); err != nil {
		tb.Fatal(err)
	}
	harness.Until(tb, "the API server is ready", func(ctx context.Context) (bool, error) {
		_, err := c.Clientset.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, c.Err()
	})
	if c.Client, err = client.New(c.Config, client.Options{}); err != nil {
		tb.Fatal(err)
	}
}

// AdminKubeconfig writes a kubeconfig with all rights, and returns its path.
func (c *Cluster) AdminKubeconfig(tb testing.TB) string {
	tb.Helper()
	path, err := c.ids.kubeconfig(controlplane.AdminUser, controlplane.AdminGroup)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Err returns an error if a program of the control plane has exited.
func (c *Cluster) Err() error {
	for _, p := range c.running {
		if err := p.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) startNodes(tb testing.TB) {
	tb.Helper()
	for n := range isolation.Nodes {
		node, err := c.newNode(n)
		if err != nil {
			tb.Fatal(err)
		}
		node.Start(tb)
		c.Nodes = append(c.Nodes, node)
	}
	c.importImages(tb)
	for _, node := range c.Nodes {
		c.WaitReady(tb, node)
	}
}

// WaitReady waits until the node is ready for Pods.
func (c *Cluster) WaitReady(tb testing.TB, node *Node) {
	tb.Helper()
	harness.Until(tb, node.Name+" is ready", func(ctx context.Context) (bool, error) {
		var object corev1.Node
		if err := client.IgnoreNotFound(c.Get(ctx, client.ObjectKey{Name: node.Name}, &object)); err != nil {
			return false, err
		}
		for _, condition := range object.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				return true, nil
			}
		}
		return false, node.Err()
	})
}

// RenewServing replaces the certificate of the API server, and waits until clients get it.
func (c *Cluster) RenewServing(tb testing.TB) {
	tb.Helper()
	if err := c.ids.renewServing(); err != nil {
		tb.Fatal(err)
	}
	want, err := tls.LoadX509KeyPair(c.ids.file(servingCertificate), c.ids.file(servingKey))
	if err != nil {
		tb.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.ids.authority.CertificatePEM())
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	harness.Eventually(tb, "the API server has its new certificate", func(ctx context.Context) error {
		conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(apiServerURL, "https://"))
		if err != nil {
			return err
		}
		defer conn.Close()                                            //nolint:errcheck // nothing was sent
		got := conn.(*tls.Conn).ConnectionState().PeerCertificates[0] //nolint:forcetypeassert // of this dialer
		if !bytes.Equal(got.Raw, want.Certificate[0]) {
			return fmt.Errorf("it has the certificate %v", got.SerialNumber)
		}
		return nil
	})
}
