package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/bridge"
)

// V1alpha1Driver describes a driver of v1alpha1, which does not return its protocols, and may return no endpoint
// and no region of S3.
type V1alpha1Driver struct {
	Protocols            []string
	S3Endpoint, S3Region string
}

// AddFlags adds the flags of all commands that start a bridge, or a sidecar of v1alpha1.
func (d *V1alpha1Driver) AddFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&d.Protocols, "protocols", []string{"S3"}, "protocols that a v1alpha1 driver serves: S3, AZURE")
	flags.StringVar(&d.S3Region, "s3-region", bridge.DefaultS3Region, "region of the S3 service, if a v1alpha1 driver returns none")
	d.AddS3Endpoint(flags)
}

// AddS3Endpoint adds the flag of commands whose --protocols and --s3-region also describe the fake driver.
func (d *V1alpha1Driver) AddS3Endpoint(flags *pflag.FlagSet) {
	flags.StringVar(&d.S3Endpoint, "s3-endpoint", "", "URL of the S3 service, if a v1alpha1 driver returns none")
}

// Options returns the options of a bridge, which New validates.
func (d *V1alpha1Driver) Options() (options bridge.Options, err error) {
	options.S3Endpoint, options.S3Region = d.S3Endpoint, d.S3Region
	if err := bridge.ValidateS3Endpoint(d.S3Endpoint); err != nil {
		return options, fmt.Errorf("--s3-endpoint: %w", err)
	}
	if options.Protocols, err = bridge.ParseProtocols(d.Protocols); err != nil {
		return options, fmt.Errorf("--protocols: %w", err)
	}
	return options, nil
}
