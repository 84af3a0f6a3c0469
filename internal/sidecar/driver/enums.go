package driver

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

var protocolTypes = map[v1alpha2.Protocol]cosi.ObjectProtocol_Type{
	v1alpha2.ProtocolS3:    cosi.ObjectProtocol_S3,
	v1alpha2.ProtocolAzure: cosi.ObjectProtocol_AZURE,
	v1alpha2.ProtocolGCS:   cosi.ObjectProtocol_GCS,
}

var authenticationTypes = map[v1alpha2.AuthenticationType]cosi.AuthenticationType_Type{
	v1alpha2.AuthenticationTypeKey:            cosi.AuthenticationType_KEY,
	v1alpha2.AuthenticationTypeServiceAccount: cosi.AuthenticationType_SERVICE_ACCOUNT,
}

// A category that the user left empty is sent as ANY, because drivers reject
// UNKNOWN.
var accessModes = map[v1alpha2.BucketAccessMode]cosi.AccessMode_Mode{
	"":                                 cosi.AccessMode_ANY,
	v1alpha2.BucketAccessModeReadWrite: cosi.AccessMode_READ_WRITE,
	v1alpha2.BucketAccessModeReadOnly:  cosi.AccessMode_READ_ONLY,
	v1alpha2.BucketAccessModeWriteOnly: cosi.AccessMode_WRITE_ONLY,
}

func protocolOf(wanted cosi.ObjectProtocol_Type) (v1alpha2.Protocol, bool) {
	for protocol, wire := range protocolTypes {
		if wire == wanted {
			return protocol, true
		}
	}
	return "", false
}

func wireProtocol(protocol v1alpha2.Protocol) *cosi.ObjectProtocol {
	return &cosi.ObjectProtocol{Type: protocolTypes[protocol]}
}

func wireProtocols(protocols []v1alpha2.Protocol) []*cosi.ObjectProtocol {
	var wire []*cosi.ObjectProtocol
	for _, protocol := range protocols {
		wire = append(wire, wireProtocol(protocol))
	}
	return wire
}

func wireAuthenticationType(authentication v1alpha2.AuthenticationType) *cosi.AuthenticationType {
	return &cosi.AuthenticationType{Type: authenticationTypes[authentication]}
}

func wireAccessMode(mode v1alpha2.BucketAccessMode) *cosi.AccessMode {
	return &cosi.AccessMode{Mode: accessModes[mode]}
}
