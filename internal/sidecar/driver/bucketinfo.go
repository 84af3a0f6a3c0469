package driver

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// draftProtocolsTag is the field number of DriverCreateBucketResponse.protocols in an earlier draft
// of the protocol. Drivers built from that draft are in use.
const draftProtocolsTag protowire.Number = 2

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

func createdProtocols(response *cosiv1alpha2.DriverCreateBucketResponse) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	if response.GetProtocols() != nil {
		return response.GetProtocols()
	}
	return draftProtocols(response.ProtoReflect().GetUnknown())
}

// draftProtocols finds the protocols under their former number among the fields that the generated
// code does not know, or returns nil.
func draftProtocols(fields []byte) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	for len(fields) > 0 {
		number, wireType, length := protowire.ConsumeField(fields)
		if length < 0 {
			return nil
		}
		if number == draftProtocolsTag && wireType == protowire.BytesType {
			return decodeInfo(fields[:length])
		}
		fields = fields[length:]
	}
	return nil
}

func decodeInfo(field []byte) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	_, _, tagLength := protowire.ConsumeTag(field)
	value, length := protowire.ConsumeBytes(field[tagLength:])
	info := &cosiv1alpha2.ObjectProtocolAndBucketInfo{}
	if length < 0 || proto.Unmarshal(value, info) != nil {
		return nil
	}
	return info
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
