package fakedriver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// objectProtocol is a protocol, as a driver offers it to COSI.
type objectProtocol interface {
	protocol() Protocol
	wireType() cosiv1alpha2.ObjectProtocol_Type
	// parameters are the sorted parameters of BucketClasses that have an effect.
	parameters() []string
	// serviceAccounts reports whether clients can authenticate as a ServiceAccount.
	serviceAccounts() bool
	// checkBuckets rejects buckets that no credentials of the protocol can be for.
	checkBuckets(grants []Grant) error
	// bucketInfo returns the address of a bucket.
	bucketInfo(d *Driver, b Bucket) *cosiv1alpha2.ObjectProtocolAndBucketInfo
	// credentialInfo returns the credentials for the buckets of an account.
	credentialInfo(d *Driver, grants []Grant, key Credentials) *cosiv1alpha2.CredentialInfo
}

// objectProtocols returns the supported protocols.
func objectProtocols() []objectProtocol {
	return []objectProtocol{s3Protocol{}, gcsProtocol{}, azureProtocol{}}
}

// offered returns a protocol. An unknown one of a backend counts as S3.
func (p Protocol) offered() objectProtocol {
	all := objectProtocols()
	return all[max(0, slices.IndexFunc(all, func(one objectProtocol) bool { return one.protocol() == p }))]
}

func (d *Driver) bucketInfo(b Bucket) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return b.Protocol.offered().bucketInfo(d, b)
}

func (d *Driver) credentialInfo(protocol Protocol, grants []Grant, key Credentials) *cosiv1alpha2.CredentialInfo {
	return protocol.offered().credentialInfo(d, grants, key)
}

// ValidateProtocols returns an error if a driver cannot have these protocols: there must be at
// least one, each known and given once.
func ValidateProtocols(protocols []Protocol) error {
	var known []Protocol
	for _, one := range objectProtocols() {
		known = append(known, one.protocol())
	}
	if len(protocols) == 0 {
		return fmt.Errorf("no protocol given: at least one of %s is required", protocolNames(known...))
	}
	for i, protocol := range protocols {
		if !slices.Contains(known, protocol) {
			return fmt.Errorf("protocol %q is unknown: it must be one of %s", string(protocol), protocolNames(known...))
		}
		if slices.Contains(protocols[:i], protocol) {
			return fmt.Errorf("protocol %s is listed twice", protocol)
		}
	}
	return nil
}

// ParseProtocols reads names of protocols as in COSI's objects: S3, GCS, Azure. The error is
// ValidateProtocols'.
func ParseProtocols(names []string) ([]Protocol, error) {
	protocols := make([]Protocol, len(names))
	for i, name := range names {
		protocols[i] = Protocol(name)
		if name == ProtocolS3.String() {
			protocols[i] = ProtocolS3
		} else if name == "" {
			protocols[i] = "?" // the empty name is not the zero value's
		}
	}
	return protocols, ValidateProtocols(protocols)
}

func protocolNames(protocols ...Protocol) string {
	names := make([]string, len(protocols))
	for i, protocol := range protocols {
		names[i] = protocol.String()
	}
	return strings.Join(names, ", ")
}

func (d *Driver) supportedProtocols() []*cosiv1alpha2.ObjectProtocol {
	supported := make([]*cosiv1alpha2.ObjectProtocol, len(d.options.Protocols))
	for i, protocol := range d.options.Protocols {
		supported[i] = &cosiv1alpha2.ObjectProtocol{Type: protocol.offered().wireType()}
	}
	return supported
}

// protocolOf returns the protocol of a request, if the driver supports it.
func (d *Driver) protocolOf(asked *cosiv1alpha2.ObjectProtocol) (Protocol, error) {
	for _, protocol := range d.options.Protocols {
		if protocol.offered().wireType() == asked.GetType() {
			return protocol, nil
		}
	}
	return "", invalid("protocol %s is not supported: the driver supports %s only", asked.GetType(), protocolNames(d.options.Protocols...))
}

// bucketProtocol returns the protocol of a bucket that must support the requested ones. Each object
// has one protocol, so several are rejected; without any, the driver's default applies.
func (d *Driver) bucketProtocol(asked []*cosiv1alpha2.ObjectProtocol) (Protocol, error) {
	if len(asked) == 0 {
		return d.options.Protocols[0], nil
	}
	var chosen Protocol
	for i, one := range asked {
		protocol, err := d.protocolOf(one)
		if err != nil {
			return "", err
		}
		if i > 0 && protocol != chosen {
			return "", invalid("protocols %s and %s requested: a bucket of this driver supports exactly one", chosen, protocol)
		}
		chosen = protocol
	}
	return chosen, nil
}

// checkBucketParameters rejects parameters that would have no effect.
func checkBucketParameters(protocol Protocol, parameters map[string]string) error {
	known := protocol.offered().parameters()
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.Contains(known, name) {
			return invalid("parameter %s has no effect on buckets of protocol %s: they have %s", name, protocol, strings.Join(known, ", "))
		}
	}
	return nil
}

// checkBucketProtocol rejects access by another protocol than the bucket's.
func checkBucketProtocol(b Bucket, asked Protocol) error {
	if b.Protocol != asked {
		return invalid("bucket %q is reached by protocol %s, not by %s", b.Name, b.Protocol, asked)
	}
	return nil
}

// accessProtocol returns the protocol of an access, or the reason for which the driver rejects it.
func (d *Driver) accessProtocol(r *cosiv1alpha2.DriverGrantBucketAccessRequest, grants []Grant) (Protocol, error) {
	protocol, err := d.protocolOf(r.GetProtocol())
	if err != nil {
		return "", err
	}
	return protocol, cmp.Or(checkAuthenticationFor(protocol, r.GetAuthenticationType()), protocol.offered().checkBuckets(grants))
}

// checkAuthenticationFor rejects authentication that the protocol does not support here.
func checkAuthenticationFor(protocol Protocol, authentication *cosiv1alpha2.AuthenticationType) error {
	if !protocol.offered().serviceAccounts() && authentication.GetType() == cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT {
		return invalid("authentication type ServiceAccount is not supported by protocol %s here: it must be Key", protocol)
	}
	return nil
}
