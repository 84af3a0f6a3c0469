package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// AddProtocols adds the flag for the protocols of the fake driver.
func AddProtocols(flags *pflag.FlagSet, list *[]fakedriver.Protocol) {
	flags.Var(protocols{list}, "protocols", "protocols of the fake driver, a comma-separated list of S3, GCS and Azure; "+
		"the first is the default of BucketClaims (default: S3)")
}

type protocols struct{ list *[]fakedriver.Protocol }

var _ pflag.Value = protocols{}

func (p protocols) String() string {
	if p.list == nil {
		return ""
	}
	names := make([]string, len(*p.list))
	for i, protocol := range *p.list {
		names[i] = protocol.String()
	}
	return strings.Join(names, ",")
}

func (p protocols) Set(text string) (err error) {
	*p.list, err = fakedriver.ParseProtocols(strings.Split(text, ","))
	return err
}

func (p protocols) Type() string { return "protocols" }
