package driver

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

var protocolTypes = map[v1alpha2.Protocol]cosiv1alpha2.ObjectProtocol_Type{
	v1alpha2.ProtocolS3:    cosiv1alpha2.ObjectProtocol_S3,
	v1alpha2.ProtocolAzure: cosiv1alpha2.ObjectProtocol_AZURE,
	v1alpha2.ProtocolGCS:   cosiv1alpha2.ObjectProtocol_GCS,
}

var authenticationTypes = map[v1alpha2.AuthenticationType]cosiv1alpha2.AuthenticationType_Type{
	v1alpha2.AuthenticationTypeKey:            cosiv1alpha2.AuthenticationType_KEY,
	v1alpha2.AuthenticationTypeServiceAccount: cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT,
}

// A category that the user left empty is sent as ANY, because drivers reject UNKNOWN.
var accessModes = map[v1alpha2.BucketAccessMode]cosiv1alpha2.AccessMode_Mode{
	"":                                 cosiv1alpha2.AccessMode_ANY,
	v1alpha2.BucketAccessModeReadWrite: cosiv1alpha2.AccessMode_READ_WRITE,
	v1alpha2.BucketAccessModeReadOnly:  cosiv1alpha2.AccessMode_READ_ONLY,
	v1alpha2.BucketAccessModeWriteOnly: cosiv1alpha2.AccessMode_WRITE_ONLY,
}

func protocolOf(wanted cosiv1alpha2.ObjectProtocol_Type) (v1alpha2.Protocol, bool) {
	for protocol, wire := range protocolTypes {
		if wire == wanted {
			return protocol, true
		}
	}
	return "", false
}

func wireProtocol(protocol v1alpha2.Protocol) *cosiv1alpha2.ObjectProtocol {
	return &cosiv1alpha2.ObjectProtocol{Type: protocolTypes[protocol]}
}

func wireProtocols(protocols []v1alpha2.Protocol) []*cosiv1alpha2.ObjectProtocol {
	var wire []*cosiv1alpha2.ObjectProtocol
	for _, protocol := range protocols {
		wire = append(wire, wireProtocol(protocol))
	}
	return wire
}

func wireAuthenticationType(authentication v1alpha2.AuthenticationType) *cosiv1alpha2.AuthenticationType {
	return &cosiv1alpha2.AuthenticationType{Type: authenticationTypes[authentication]}
}

func wireAccessMode(mode v1alpha2.BucketAccessMode) *cosiv1alpha2.AccessMode {
	return &cosiv1alpha2.AccessMode{Mode: accessModes[mode]}
}
