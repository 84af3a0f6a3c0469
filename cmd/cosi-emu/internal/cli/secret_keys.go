package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// AddSecretKeys adds the flag for the keys of access Secrets.
func AddSecretKeys(flags *pflag.FlagSet, sets *[]v1alpha2.SecretKeySet) {
	flags.Var(secretKeys{sets}, "secret-keys", "sets of keys of access Secrets, a comma-separated list of kep, such as AWS_ENDPOINT_URL, "+
		"and cosi, such as COSI_S3_ENDPOINT, as earlier drafts of v1alpha2 have it (default: kep)")
}

type secretKeys struct{ list *[]v1alpha2.SecretKeySet }

var _ pflag.Value = secretKeys{}

func (k secretKeys) String() string {
	if k.list == nil {
		return ""
	}
	names := make([]string, len(*k.list))
	for i, set := range *k.list {
		names[i] = string(set)
	}
	return strings.Join(names, ",")
}

func (k secretKeys) Set(text string) (err error) {
	*k.list, err = v1alpha2.ParseSecretKeySets(text)
	return err
}

func (k secretKeys) Type() string { return "sets" }
