package startup

import (
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
)

// DescribeDriver describes a driver of v1alpha1 to an emulator.
func DescribeDriver(driver *cli.V1alpha1Driver, o *emulator.Options) error {
	options, err := driver.Options()
	if err != nil {
		return cli.Usage(err)
	}
	o.DriverProtocols, o.DriverS3Endpoint, o.DriverS3Region = options.Protocols, options.S3Endpoint, options.S3Region
	return nil
}
