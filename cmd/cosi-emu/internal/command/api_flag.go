package command

import (
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// apiVersion is the value of --api.
type apiVersion struct{ *objectstorage.Version }

// String implements pflag.Value.
func (a apiVersion) String() string {
	if a.Version == nil {
		return ""
	}
	return string(*a.Version)
}

// Set implements pflag.Value.
func (a apiVersion) Set(name string) (err error) {
	*a.Version, err = objectstorage.ParseVersion(name)
	return err
}

// Type implements pflag.Value.
func (apiVersion) Type() string { return "version" }

func addAPI(flags *pflag.FlagSet, version *objectstorage.Version, usage string) {
	flags.Var(apiVersion{version}, "api", usage)
}
