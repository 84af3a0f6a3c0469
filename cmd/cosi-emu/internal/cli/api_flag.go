package cli

import (
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

type apiVersion struct{ *objectstorage.Version }

func (a apiVersion) String() string {
	if a.Version == nil {
		return ""
	}
	return string(*a.Version)
}

func (a apiVersion) Set(name string) (err error) {
	*a.Version, err = objectstorage.ParseVersion(name)
	return err
}

func (apiVersion) Type() string { return "version" }

// AddAPI adds the flag for the version of the COSI kinds.
func AddAPI(flags *pflag.FlagSet, version *objectstorage.Version, usage string) {
	flags.Var(apiVersion{version}, "api", usage)
}
