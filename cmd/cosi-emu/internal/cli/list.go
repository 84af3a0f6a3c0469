package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// AddProtocols adds the flag for the protocols of the fake driver.
func AddProtocols(flags *pflag.FlagSet, protocols *[]fakedriver.Protocol) {
	parse := func(text string) ([]fakedriver.Protocol, error) {
		return fakedriver.ParseProtocols(strings.Split(text, ","))
	}
	flags.Var(list[fakedriver.Protocol]{protocols, "protocols", parse}, "protocols",
		"protocols of the fake driver, a comma-separated list of S3, GCS and Azure; "+
			"the first is the default of BucketClaims (default: S3)")
}

// AddSecretKeys adds the flag for the keys of access Secrets.
func AddSecretKeys(flags *pflag.FlagSet, sets *[]v1alpha2.SecretKeySet) {
	flags.Var(list[v1alpha2.SecretKeySet]{sets, "sets", v1alpha2.ParseSecretKeySets}, "secret-keys",
		"sets of keys of access Secrets, a comma-separated list of kep, such as AWS_ENDPOINT_URL, "+
			"and cosi, such as COSI_S3_ENDPOINT, as earlier drafts of v1alpha2 have it (default: kep)")
}

// AddSecretParametersFrom adds the flag for the namespaces of Secrets that classes name for the driver.
func AddSecretParametersFrom(flags *pflag.FlagSet, namespaces *[]string) {
	flags.StringSliceVar(namespaces, "secret-parameters-from", nil,
		"namespace whose Secrets the class parameters cosi-emu.dev/secret-name and cosi-emu.dev/secret-namespace may name for the driver; "+
			"can be repeated (default: none, and the parameters reach the driver as they are)")
}

// list is the value of a flag with a comma-separated list.
type list[T any] struct {
	values *[]T
	kind   string // of the values, in the help
	parse  func(text string) ([]T, error)
}

var _ pflag.Value = list[string]{}

// String implements pflag.Value.
func (l list[T]) String() string {
	if l.values == nil {
		return ""
	}
	names := make([]string, len(*l.values))
	for i, value := range *l.values {
		names[i] = fmt.Sprint(value)
	}
	return strings.Join(names, ",")
}

// Set implements pflag.Value.
func (l list[T]) Set(text string) (err error) {
	*l.values, err = l.parse(text)
	return err
}

// Type implements pflag.Value.
func (l list[T]) Type() string { return l.kind }
