package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
)

// ClusterFlags select a cluster by a kubeconfig.
type ClusterFlags struct{ Kubeconfig, Context string }

// AddFlags adds the flags.
func (c *ClusterFlags) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig file of the cluster (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&c.Context, "context", "", "context of the kubeconfig (default: the current one)")
}

// Open connects to the cluster. The caller closes it.
func (c *ClusterFlags) Open(ctx context.Context) (*existingcluster.Cluster, error) {
	opened, err := existingcluster.Open(existingcluster.Options{Kubeconfig: c.Kubeconfig, Context: c.Context})
	if err != nil {
		return nil, err
	}
	if err := opened.Reach(ctx); err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}
