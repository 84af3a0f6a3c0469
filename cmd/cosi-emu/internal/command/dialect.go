package command

import (
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// driverDialectUsage describes the flag --dialect of commands that start an emulator.
const driverDialectUsage = "protocol of the driver; the fake driver speaks it, behind a bridge unless you use --sidecar-cmd"

func addDialect(flags *pflag.FlagSet, dialect *dialects.Dialect, usage, byDefault string) {
	flags.Var(dialectFlag{dialect}, "dialect", usage+": "+dialects.Names()+" (default: "+byDefault+")")
	cli.Values(flags, "dialect", texts(dialects.All())...)
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
