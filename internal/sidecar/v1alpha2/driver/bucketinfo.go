package driver

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// SupportedProtocols returns, in a fixed order, the protocols for which the driver has returned
// info, empty or not.
func SupportedProtocols(info *cosiv1alpha2.ObjectProtocolAndBucketInfo) []v1alpha2.Protocol {
	var protocols []v1alpha2.Protocol
	if info.GetS3() != nil {
		protocols = append(protocols, v1alpha2.ProtocolS3)
	}
	if info.GetAzure() != nil {
		protocols = append(protocols, v1alpha2.ProtocolAzure)
	}
	if info.GetGcs() != nil {
		protocols = append(protocols, v1alpha2.ProtocolGCS)
	}
	return protocols
}

func checkBucketInfo(method string, info *cosiv1alpha2.ObjectProtocolAndBucketInfo, required []v1alpha2.Protocol) error {
	supported := SupportedProtocols(info)
	if len(supported) == 0 {
		return connection.Invalid(method, "it names no protocol that the bucket supports")
	}
	for _, protocol := range required {
		if !slices.Contains(supported, protocol) {
			return connection.Invalid(method, "the bucket must support %s, but the driver reports only %v", protocol, supported)
		}
	}
	return nil
}
