package cosi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestE44WireNumbers: a renumbered access mode silently changes the rights that a driver of an
// earlier build grants. Numbers of values and fields never change under this package's name.
func TestE44WireNumbers(t *testing.T) {
	numbers := func(values protoreflect.EnumValueDescriptors) map[string]int {
		found := map[string]int{}
		for i := range values.Len() {
			found[string(values.Get(i).Name())] = int(values.Get(i).Number())
		}
		return found
	}
	for name, tc := range map[string]struct {
		enum protoreflect.EnumDescriptor
		want map[string]int
	}{
		"access modes": {
			AccessMode_UNKNOWN.Descriptor(),
			map[string]int{"UNKNOWN": 0, "ANY": 1, "READ_WRITE": 2, "READ_ONLY": 3, "WRITE_ONLY": 4},
		},
		"protocols": {ObjectProtocol_UNKNOWN.Descriptor(), map[string]int{"UNKNOWN": 0, "S3": 1, "AZURE": 2, "GCS": 3}},
		"authentication": {
			AuthenticationType_UNKNOWN.Descriptor(), map[string]int{"UNKNOWN": 0, "KEY": 1, "SERVICE_ACCOUNT": 2},
		},
		"addressing styles": {S3AddressingStyle_UNKNOWN.Descriptor(), map[string]int{"UNKNOWN": 0, "PATH": 1, "VIRTUAL": 2}},
	} {
		if diff := cmp.Diff(tc.want, numbers(tc.enum.Values())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestE44AccessedBucketOnTheWire: the three modes of a bucket have fields of their own, in which a
// driver of an earlier build does not find its own mode.
func TestE44AccessedBucketOnTheWire(t *testing.T) {
	mode := func(m AccessMode_Mode) *AccessMode { return &AccessMode{Mode: m} }
	got, err := proto.Marshal(&DriverGrantBucketAccessRequest_AccessedBucket{
		BucketId:                 "b",
		ObjectDataAccessMode:     mode(AccessMode_READ_ONLY),
		ObjectMetadataAccessMode: mode(AccessMode_ANY),
		BucketMetadataAccessMode: mode(AccessMode_WRITE_ONLY),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{
		1<<3 | 2, 1, 'b',
		2<<3 | 2, 2, 1 << 3, 3,
		3<<3 | 2, 2, 1 << 3, 1,
		4<<3 | 2, 2, 1 << 3, 4,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("encoding (-want +got):\n%s", diff)
	}
}
