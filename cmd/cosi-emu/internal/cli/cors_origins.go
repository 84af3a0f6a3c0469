package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// corsOrigins is a flag for origins of pages. It can be repeated.
type corsOrigins struct{ list *[]string }

var _ pflag.Value = corsOrigins{}

func (c corsOrigins) String() string {
	if c.list == nil {
		return ""
	}
	return strings.Join(*c.list, ",")
}

func (c corsOrigins) Set(text string) error {
	all := slices.Concat(*c.list, strings.Split(text, ","))
	if err := fakedriver.ValidateCORSOrigins(all); err != nil {
		return err
	}
	*c.list = all
	return nil
}

func (c corsOrigins) Type() string { return "origins" }
