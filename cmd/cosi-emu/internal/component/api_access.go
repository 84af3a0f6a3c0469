package component

import (
	"fmt"
	"math"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

type apiAccess struct {
	kubeconfig, context string
	qps                 float32
	burst               int
}

func (a *apiAccess) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&a.kubeconfig, "kubeconfig", "", "kubeconfig file (default: the Pod's ServiceAccount, then $KUBECONFIG)")
	flags.StringVar(&a.context, "context", "", "context of the kubeconfig (default: its current one)")
	flags.Float32Var(&a.qps, "kube-api-qps", 100, "limit of requests/s to the API server; -1 for none")
	flags.IntVar(&a.burst, "kube-api-burst", 200, "burst of requests to the API server")
}

func (a *apiAccess) validate() error {
	if a.qps == 0 || math.IsNaN(float64(a.qps)) {
		return cli.Usage(fmt.Errorf("--kube-api-qps %v must be more than 0, or negative for no limit", a.qps))
	}
	if a.burst < 1 {
		return cli.Usage(fmt.Errorf("--kube-api-burst %d must be at least 1", a.burst))
	}
	return nil
}

func (a *apiAccess) config() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: a.context}
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the API server: %w; use --kubeconfig, or run in a Pod", err)
	}
	cfg.QPS, cfg.Burst = a.qps, a.burst
	return cfg, nil
}
