package subprocess

import (
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// lossless is the codec of a relay. A message that it cannot decode, because the driver speaks
// another dialect than expected, becomes a message of unknown fields: it is passed on unchanged,
// and the journal shows that it was not decoded.
type lossless struct{ encoding.CodecV2 }

func newLossless() lossless { return lossless{encoding.GetCodecV2(grpcproto.Name)} }

func (l lossless) Unmarshal(data mem.BufferSlice, v any) error {
	err := l.CodecV2.Unmarshal(data, v)
	m, ok := v.(proto.Message)
	if err == nil || !ok {
		return err
	}
	proto.Reset(m)
	m.ProtoReflect().SetUnknown(data.Materialize())
	return nil
}
