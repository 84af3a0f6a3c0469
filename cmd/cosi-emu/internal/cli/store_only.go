package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// RootKeyFlag is the flag with the root key of the store.
const RootKeyFlag = "s3-root-key"

// AddOnly adds the flag for the services without the rest of COSI.
func AddOnly(flags *pflag.FlagSet, only *[]fakedriver.Protocol) {
	flags.Var(list[fakedriver.Protocol]{only, "protocols", parseServices}, "only",
		"start the object store alone, with the services of a comma-separated list of s3, gcs and azure: no API server, "+
			"controller, sidecar and driver. S3 is always served")
}

// AddBuckets adds the flag for buckets of the store.
func AddBuckets(flags *pflag.FlagSet, buckets *[]string) {
	flags.StringArrayVar(buckets, "bucket", nil,
		"bucket of the store to create at the start, as NAME or PROTOCOL:NAME, such as gcs:letters; can be repeated "+
			"(default protocol: the first)")
}

// parseServices reads names of protocols, in lower case as in image names and ports, or as in COSI's objects.
func parseServices(text string) ([]fakedriver.Protocol, error) {
	names := strings.Split(text, ",")
	for i, name := range names {
		for _, known := range []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure} {
			if strings.EqualFold(name, known.String()) {
				names[i] = known.String()
			}
		}
	}
	return fakedriver.ParseProtocols(names)
}

// ParseBuckets reads buckets of the flag of AddBuckets. Each protocol must be among the served ones, the first of which is
// the default.
func ParseBuckets(texts []string, served []fakedriver.Protocol) ([]fakedriver.BucketSpec, error) {
	var buckets []fakedriver.BucketSpec
	for _, text := range texts {
		b := fakedriver.BucketSpec{Name: text, Protocol: served[0]}
		if protocol, name, ok := strings.Cut(text, ":"); ok {
			protocols, err := parseServices(protocol)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
			b.Protocol, b.Name = protocols[0], name
		}
		if err := fakedriver.ValidateBucketName(b.Name); err != nil {
			return nil, err
		}
		if !slices.Contains(served, b.Protocol) {
			return nil, fmt.Errorf("%q: %s is not served; add it to --only or --protocols", text, b.Protocol)
		}
		buckets = append(buckets, b)
	}
	return buckets, nil
}

// rootKey is the value of a flag with a key ID:SECRET.
type rootKey struct{ key *fakedriver.Credentials }

var _ pflag.Value = rootKey{}

// AddRootKey adds the flag for the root key of the store.
func AddRootKey(flags *pflag.FlagSet, key *fakedriver.Credentials) {
	flags.Var(rootKey{key}, RootKeyFlag,
		"root key of the store, as ID:SECRET, for tests with a fixed key; in $COSI_EMU_S3_ROOT_KEY, no list of processes has it "+
			"(default: as --data-dir, else a random one)")
}

// String implements pflag.Value.
func (k rootKey) String() string {
	if k.key == nil || *k.key == (fakedriver.Credentials{}) {
		return ""
	}
	return k.key.AccessKeyID + ":" + k.key.SecretAccessKey
}

// Set implements pflag.Value.
func (k rootKey) Set(text string) error {
	id, secret, ok := strings.Cut(text, ":")
	if !ok {
		return errors.New("the key must have the form ID:SECRET")
	}
	*k.key = fakedriver.Credentials{AccessKeyID: id, SecretAccessKey: secret}
	return k.key.Validate()
}

// Type implements pflag.Value.
func (k rootKey) Type() string { return "key" }

// WithAPI returns an error for an emulator without an API server.
func WithAPI(info instance.Info) error {
	if !info.StoreOnly {
		return nil
	}
	return Usage(fmt.Errorf("emulator %q serves object storage only, and has no API server; start one with '%s', without --only",
		info.Name, instance.Command("up", info.Name)))
}
