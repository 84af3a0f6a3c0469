package fakedriver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// protocolTypes are the supported protocols with their COSI types.
var protocolTypes = map[Protocol]cosiv1alpha2.ObjectProtocol_Type{
	ProtocolS3:    cosiv1alpha2.ObjectProtocol_S3,
	ProtocolGCS:   cosiv1alpha2.ObjectProtocol_GCS,
	ProtocolAzure: cosiv1alpha2.ObjectProtocol_AZURE,
}

// ValidateProtocols returns an error if a driver cannot have these protocols: there must be at
// least one, each known and given once.
func ValidateProtocols(protocols []Protocol) error {
	if len(protocols) == 0 {
		return fmt.Errorf("no protocol given: at least one of %s is required",
			protocolNames(ProtocolS3, ProtocolGCS, ProtocolAzure))
	}
	for i, protocol := range protocols {
		if _, ok := protocolTypes[protocol]; !ok {
			return fmt.Errorf("protocol %q is unknown: it must be one of %s", string(protocol),
				protocolNames(ProtocolS3, ProtocolGCS, ProtocolAzure))
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
		supported[i] = &cosiv1alpha2.ObjectProtocol{Type: protocolTypes[protocol]}
	}
	return supported
}

// protocolOf returns the protocol of a request, if the driver supports it.
func (d *Driver) protocolOf(asked *cosiv1alpha2.ObjectProtocol) (Protocol, error) {
	for _, protocol := range d.options.Protocols {
		if protocolTypes[protocol] == asked.GetType() {
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

// parametersOf are the sorted parameters of buckets of other protocols than S3; all others are for
// S3 only.
var parametersOf = map[Protocol][]string{
	ProtocolAzure: {
		ParameterIgnoreUnknown, ParameterMaxAccounts, ParameterNonEmptyDeletion, ParameterNote, ParameterQuotaBytes, ParameterQuotaObjects,
	},
	ProtocolGCS: {
		ParameterIgnoreUnknown, ParameterMaxAccounts, ParameterNonEmptyDeletion, ParameterNote, ParameterQuotaBytes, ParameterQuotaObjects,
		ParameterVersioning,
	},
}

// hasParameter reports whether a parameter of BucketClasses has an effect on buckets of a protocol.
func hasParameter(protocol Protocol, name string) bool {
	return protocol == ProtocolS3 || slices.Contains(parametersOf[protocol], name)
}

// checkBucketParameters rejects parameters that would have no effect.
func checkBucketParameters(protocol Protocol, parameters map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !hasParameter(protocol, name) {
			return invalid("parameter %s has no effect on buckets of protocol %s: they have %s", name, protocol,
				strings.Join(parametersOf[protocol], ", "))
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
	return protocol, cmp.Or(checkAuthenticationFor(protocol, r.GetAuthenticationType()), checkAzureBuckets(protocol, grants))
}

// checkAuthenticationFor rejects authentication that only S3 supports here.
func checkAuthenticationFor(protocol Protocol, authentication *cosiv1alpha2.AuthenticationType) error {
	if protocol != ProtocolS3 && authentication.GetType() == cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT {
		return invalid("authentication type ServiceAccount is not supported by protocol %s here: it must be Key", protocol)
	}
	return nil
}

func (d *Driver) credentialInfo(protocol Protocol, grants []Grant, key Credentials) *cosiv1alpha2.CredentialInfo {
	switch protocol {
	case ProtocolGCS:
		return &cosiv1alpha2.CredentialInfo{Gcs: gcsCredentials(key)}
	case ProtocolAzure:
		return &cosiv1alpha2.CredentialInfo{Azure: d.azureCredentials(grants[0], key)}
	default:
		return &cosiv1alpha2.CredentialInfo{
			S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: key.AccessKeyID, AccessSecretKey: key.SecretAccessKey},
		}
	}
}
