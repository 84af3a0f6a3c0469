package component

import (
	"github.com/spf13/pflag"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

// bridgeFlags are the flags that the bridge and the sidecar have in common.
type bridgeFlags struct {
	options                   bridge.Options
	driver                    cli.V1alpha1Driver
	stateDir, namespace, name string
}

// addFlags adds the common flags. Each command has its own default for the store of the IDs.
func (f *bridgeFlags) addFlags(flags *pflag.FlagSet) {
	cli.AddDialect(flags, &f.options.Dialect, "protocol of the driver", "the driver is asked")
	f.driver.AddFlags(flags)
	flags.BoolVar(&f.options.S3VirtualHosts, "s3-virtual-hosts", false,
		"the bucket is in the host name of S3 URLs of a v1alpha1 driver, and not in the path")
	flags.BoolVar(&f.options.AssumeExisting, "assume-existing", false,
		"use existing buckets without a check if the driver cannot look them up")
}

// validate checks the flags, before anything is opened, and completes the options.
func (f *bridgeFlags) validate() error {
	driver, err := f.driver.Options()
	if err != nil {
		return err
	}
	f.options.Protocols, f.options.S3Endpoint, f.options.S3Region = driver.Protocols, driver.S3Endpoint, driver.S3Region
	return f.options.ValidateDriver()
}

func newConfigMaps(cfg *rest.Config, namespace, prefix string) (*bridge.ConfigMaps, error) {
	client, err := corev1client.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	return bridge.NewConfigMaps(client.ConfigMaps(namespace), prefix), nil
}
