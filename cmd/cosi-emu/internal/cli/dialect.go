package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// DriverDialectUsage describes the flag --dialect of commands that start an emulator.
const DriverDialectUsage = "protocol of the driver; the fake driver speaks it, behind a bridge unless you use --sidecar-cmd"

// AddDialect adds the flag for the protocol of a driver.
func AddDialect(flags *pflag.FlagSet, dialect *dialects.Dialect, usage, byDefault string) {
	flags.Var(dialectFlag{dialect}, "dialect", usage+": "+dialects.Names()+" (default: "+byDefault+")")
	Values(flags, "dialect", dialects.All()...)
}

// AddDriverIDs adds the flag for the IDs of a fake driver.
func AddDriverIDs(flags *pflag.FlagSet, ids *fakedriver.IDs) {
	flags.StringVar((*string)(ids), "driver-ids", "", fmt.Sprintf("IDs that the fake driver returns, in a dialect other than kep: %v; "+
		"changing are names first, and others when a call is repeated (default: %s)", fakedriver.AllIDs(), fakedriver.IDsNames))
	Values(flags, "driver-ids", fakedriver.AllIDs()...)
}

type dialectFlag struct{ dialect *dialects.Dialect }

var _ pflag.Value = dialectFlag{}

func (d dialectFlag) String() string {
	if d.dialect == nil {
		return ""
	}
	return string(*d.dialect)
}

func (d dialectFlag) Set(name string) (err error) {
	*d.dialect, err = dialects.Parse(name)
	return err
}

func (d dialectFlag) Type() string { return "dialect" }
