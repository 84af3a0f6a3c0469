package dialects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// E45: the field of the protocols has had two numbers.
func TestE45CreatedProtocols(t *testing.T) {
	info := &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{BucketId: "b", Region: "r"}}
	encoded, err := proto.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	field := func(number protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	tests := map[string]struct {
		reason string
		wire   []byte
		want   *cosiv1alpha2.ObjectProtocolAndBucketInfo
	}{
		"Current": {reason: "number 1", wire: field(1, encoded), want: info},
		"Draft":   {reason: "number 2 of the earlier draft", wire: field(2, encoded), want: info},
		"DraftAmongOthers": {
			reason: "other unknown fields do not matter",
			wire:   append(protowire.AppendVarint(protowire.AppendTag(nil, 9, protowire.VarintType), 7), field(2, encoded)...),
			want:   info,
		},
		"Both":       {reason: "the current one wins", wire: append(field(2, nil), field(1, encoded)...), want: info},
		"Neither":    {reason: "nothing is nothing"},
		"DraftEmpty": {reason: "an empty message has no protocols", wire: field(2, nil), want: &cosiv1alpha2.ObjectProtocolAndBucketInfo{}},
		"DraftBroken": {
			reason: "what cannot be decoded is not there",
			wire:   field(2, []byte{0xff}),
		},
		"DraftOfAnotherType": {
			reason: "a number is no message",
			wire:   protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 7),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			response := &cosiv1alpha2.DriverCreateBucketResponse{}
			if err := proto.Unmarshal(tc.wire, response); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, dialects.CreatedProtocols(response), protocmp.Transform()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
