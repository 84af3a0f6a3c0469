package dialects

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// TestWire fixes the numbers of the earlier dialects, which existing drivers use.
func TestWire(t *testing.T) {
	s3 := &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}}
	const text, message = 2, 2 // both are length-delimited
	for name, tc := range map[string]struct {
		message proto.Message
		want    []byte
	}{
		"Bucket": {
			&BucketResponse{BucketId: "b", Protocols: s3},
			[]byte{1<<3 | text, 1, 'b', 2<<3 | message, 2, 1<<3 | message, 0},
		},
		"AccessedBucket": {
			&GrantBucketAccessRequest_AccessedBucket{BucketId: "b", AccessMode: &AccessMode{Mode: AccessMode_WRITE_ONLY}},
			[]byte{1<<3 | text, 1, 'b', 2<<3 | message, 2, 1 << 3, 3},
		},
		"NoMode": {
			&GrantBucketAccessRequest_AccessedBucket{AccessMode: &AccessMode{}},
			[]byte{2<<3 | message, 0},
		},
		"GrantRequest": {
			&GrantBucketAccessRequest{
				AccountName: "a", Protocol: &cosiv1alpha2.ObjectProtocol{}, AuthenticationType: &cosiv1alpha2.AuthenticationType{},
				ServiceAccountName: "s", Parameters: map[string]string{"k": "v"}, Buckets: []*GrantBucketAccessRequest_AccessedBucket{{}},
			},
			[]byte{
				1<<3 | text, 1, 'a', 2<<3 | message, 0, 3<<3 | message, 0, 4<<3 | text, 1, 's',
				5<<3 | message, 6, 1<<3 | text, 1, 'k', 2<<3 | text, 1, 'v', 6<<3 | message, 0,
			},
		},
		"GrantResponse": {
			&GrantBucketAccessResponse{
				AccountId: "a", Buckets: []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{{}}, Credentials: &cosiv1alpha2.CredentialInfo{},
			},
			[]byte{1<<3 | text, 1, 'a', 2<<3 | message, 0, 3<<3 | message, 0},
		},
	} {
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(tc.message)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s on the wire (-want +got):\n%s", name, diff)
		}
	}
}

func TestModes(t *testing.T) {
	want := map[string]int32{"UNKNOWN": 0, "READ_WRITE": 1, "READ_ONLY": 2, "WRITE_ONLY": 3}
	if diff := cmp.Diff(want, AccessMode_Mode_value); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDifferences: each dialect except the KEP's has differences, with the numbers on the wire.
func TestDifferences(t *testing.T) {
	methods := map[string]string{
		"DriverGetInfoResponse": cosiv1alpha2.Identity_DriverGetInfo_FullMethodName, "DriverGetBucketResponse": GetExistingBucket,
		"DriverCreateBucketResponse":      cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName,
		"DriverGrantBucketAccessResponse": cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName,
	}
	for _, dialect := range All() {
		differences := dialect.Differences()
		if (len(differences) > 0) != (dialect != KEP) {
			t.Errorf("%s has %d differences", dialect, len(differences))
		}
		for _, d := range differences {
			if d.Dialect == d.KEP || d.Subject == "" {
				t.Errorf("%s: no difference: %+v", dialect, d)
			}
			if method, ok := methods[d.Subject]; ok && dialect != V1alpha1 {
				_, response := dialect.Messages(method)
				wantFields(t, response, d.Dialect)
			}
		}
	}
	wantFields(t, &cosiv1alpha2.DriverCreateBucketResponse{}, "protocols (1)")
}

func wantFields(t *testing.T, message proto.Message, text string) {
	t.Helper()
	for field := range strings.SplitSeq(text, ", ") {
		name, number := "", 0
		if _, err := fmt.Sscanf(field, "%s (%d)", &name, &number); err != nil {
			t.Fatalf("%q: %v", field, err)
		}
		got := message.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(name))
		if got == nil || int(got.Number()) != number {
			t.Errorf("%s has field %v, want %s", message.ProtoReflect().Descriptor().Name(), got, field)
		}
	}
}

func TestRange(t *testing.T) {
	type row struct {
		Dialects []Dialect
		Text     string
	}
	got := map[Range]row{}
	want := map[Range]row{
		{}:                                 {All(), "all"},
		{Last: V1alpha1}:                   {[]Dialect{V1alpha1}, "v1alpha1"},
		{First: NoModes}:                   {All()[1:], "v1alpha2"},
		{First: KEP}:                       {[]Dialect{KEP}, "dialect kep"},
		{First: OneMode}:                   {All()[2:], "dialects one-mode to kep"},
		{First: NoModes, Last: OneModeGet}: {All()[1:4], "dialects no-modes to one-mode-get"},
	}
	for r := range want {
		got[r] = row{r.Dialects(), r.String()}
		if r.Has(OneMode) != slices.Contains(want[r].Dialects, OneMode) {
			t.Errorf("%s: Has(one-mode) = %t", r, r.Has(OneMode))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNamed: a request has the names of the dialect, and the same bytes.
func TestNamed(t *testing.T) {
	create := &cosiv1alpha2.DriverCreateBucketRequest{
		BucketId: "b", Protocols: []*cosiv1alpha2.ObjectProtocol{{}}, Parameters: map[string]string{"k": "v"},
	}
	get := &cosiv1alpha2.DriverGetBucketRequest{
		BucketId: "b", Protocols: []*cosiv1alpha2.ObjectProtocol{{}}, Parameters: map[string]string{"k": "v"},
	}
	grant := &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: "a", Protocol: &cosiv1alpha2.ObjectProtocol{}, AuthenticationType: &cosiv1alpha2.AuthenticationType{}, ServiceAccountName: "s",
		Parameters: map[string]string{"k": "v"}, Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{BucketId: "b"}},
	}
	for name, tc := range map[string]struct {
		dialect Dialect
		method  string
		request proto.Message
		want    protoreflect.Name // of field 1
	}{
		"CreateOld":        {NoModes, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, create, "name"},
		"Create":           {OneModeGet, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, create, "name"},
		"CreateWithID":     {BucketIDs, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, create, "bucket_id"},
		"CreateKEP":        {KEP, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, create, "bucket_id"},
		"GetExisting":      {OneMode, GetExistingBucket, get, "existing_bucket_id"},
		"Get":              {OneModeGet, cosiv1alpha2.Provisioner_DriverGetBucket_FullMethodName, get, "bucket_id"},
		"Grant":            {BucketIDs, cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName, grant, "account_name"},
		"GrantKEP":         {KEP, cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName, grant, "account_id"},
		"OfAnotherVersion": {V1alpha1, cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, create, "bucket_id"},
	} {
		named := tc.dialect.Named(tc.method, tc.request).ProtoReflect()
		if got := named.Descriptor().Fields().ByNumber(1).Name(); got != tc.want {
			t.Errorf("%s: field 1 is %s, want %s", name, got, tc.want)
		}
		if unknown := named.GetUnknown(); len(unknown) > 0 {
			t.Errorf("%s: %s lacks the fields %v", name, named.Descriptor().Name(), unknown)
		}
		marshal := proto.MarshalOptions{Deterministic: true}
		sent, err := marshal.Marshal(tc.request)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := marshal.Marshal(named.Interface())
		if diff := cmp.Diff(sent, shown); diff != "" || err != nil {
			t.Errorf("%s: on the wire: %v (-sent +shown):\n%s", name, err, diff)
		}
	}
}
