package fakedriver_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const virtualEndpoint = "http://s3.localhost:9000"

// value is a value of the parameter that the test case is named after.
type value struct {
	reason string
	value  string
	want   fakedriver.BucketSpec // of valid values, without name, owner and parameters
	bad    bool
}

func locked(r fakedriver.Retention) fakedriver.BucketSpec {
	return fakedriver.BucketSpec{ObjectLock: true, DefaultRetention: r}
}

var bucketValues = map[string][]value{
	fakedriver.ParameterAddressingStyle: {
		{reason: "The default.", value: "path"},
		{reason: "The other.", value: "virtual"},
		{reason: "Nothing is said.", value: "", bad: true},
		{reason: "S3's word, not ours.", value: "virtual-hosted", bad: true},
	},
	fakedriver.ParameterLatency: {
		{reason: "A duration.", value: "250ms", want: fakedriver.BucketSpec{Latency: 250 * time.Millisecond}},
		{reason: "The most.", value: "1m", want: fakedriver.BucketSpec{Latency: time.Minute}},
		{reason: "More than that.", value: "60.001s", bad: true},
		{reason: "No latency is said by leaving it out.", value: "0s", bad: true},
		{reason: "Time goes forward.", value: "-1s", bad: true},
		{reason: "Of what?", value: "5", bad: true},
	},
	fakedriver.ParameterCORSOrigins: {
		{reason: "All.", value: "*", want: fakedriver.BucketSpec{CORSOrigins: []string{"*"}}},
		{
			reason: "Two.", value: "http://localhost:3000,https://*.example.com",
			want: fakedriver.BucketSpec{CORSOrigins: []string{"http://localhost:3000", "https://*.example.com"}},
		},
		{reason: "An app on a phone.", value: "app://localhost", want: fakedriver.BucketSpec{CORSOrigins: []string{"app://localhost"}}},
		{reason: "None is said by leaving it out.", value: "", bad: true},
		{reason: "No scheme.", value: "localhost:3000", bad: true},
		{reason: "An origin has no path.", value: "http://localhost:3000/", bad: true},
		{reason: "Browsers send lower case.", value: "http://Localhost", bad: true},
		{reason: "S3 has one.", value: "https://*.*.example.com", bad: true},
		{reason: "Once is enough.", value: "http://a,http://a", bad: true},
		{reason: "Spaces are in no origin.", value: "http://a, http://b", bad: true},
	},
	fakedriver.ParameterMaxAccounts: {
		{reason: "A number.", value: "3", want: fakedriver.BucketSpec{MaxAccounts: 3}},
		{reason: "Any number is said by leaving it out.", value: "0", bad: true},
		{reason: "Less than none.", value: "-1", bad: true},
		{reason: "Too many to count.", value: "99999999999999999999", bad: true},
		{reason: "Not a number.", value: "three", bad: true},
	},
	fakedriver.ParameterNonEmptyDeletion: {
		{reason: "The default.", value: "reject"},
		{reason: "The other.", value: "purge", want: fakedriver.BucketSpec{Purge: true}},
		{reason: "Misspelt.", value: "Purge", bad: true},
	},
	fakedriver.ParameterNote: {
		{reason: "A text.", value: "für später"},
		{reason: "The longest.", value: strings.Repeat("n", 256)},
		{reason: "A longer one.", value: strings.Repeat("n", 257), bad: true},
	},
	fakedriver.ParameterObjectLock: {
		{reason: "Without a retention.", value: "enabled", want: fakedriver.BucketSpec{ObjectLock: true}},
		{reason: "Days.", value: "GOVERNANCE 30d", want: locked(fakedriver.Retention{Mode: "GOVERNANCE", Days: 30})},
		{reason: "The most years.", value: "COMPLIANCE 100y", want: locked(fakedriver.Retention{Mode: "COMPLIANCE", Years: 100})},
		{reason: "More years.", value: "COMPLIANCE 101y", bad: true},
		{reason: "More days.", value: "COMPLIANCE 36501d", bad: true},
		{reason: "It is so by leaving it out.", value: "disabled", bad: true},
		{reason: "No such mode.", value: "governance 30d", bad: true},
		{reason: "For how long?", value: "GOVERNANCE", bad: true},
		{reason: "Of what?", value: "GOVERNANCE 30", bad: true},
		{reason: "No retention is said by leaving it out.", value: "GOVERNANCE 0d", bad: true},
		{reason: "Not a number.", value: "GOVERNANCE xd", bad: true},
	},
	fakedriver.ParameterQuotaBytes: {
		{reason: "Binary.", value: "10Gi", want: fakedriver.BucketSpec{Quota: fakedriver.Quota{Bytes: 10 << 30}}},
		{reason: "Decimal.", value: "500M", want: fakedriver.BucketSpec{Quota: fakedriver.Quota{Bytes: 500_000_000}}},
		{reason: "A fraction that is whole.", value: "1.5Ki", want: fakedriver.BucketSpec{Quota: fakedriver.Quota{Bytes: 1536}}},
		{reason: "Half a byte.", value: "500m", bad: true},
		{reason: "No quota is said by leaving it out.", value: "0", bad: true},
		{reason: "Less than nothing.", value: "-1Gi", bad: true},
		{reason: "More than can be counted.", value: "10Ei", bad: true},
		{reason: "Not a quantity.", value: "10 GB", bad: true},
	},
	fakedriver.ParameterQuotaObjects: {
		{reason: "A number.", value: "1000", want: fakedriver.BucketSpec{Quota: fakedriver.Quota{Objects: 1000}}},
		{reason: "No quota is said by leaving it out.", value: "0", bad: true},
		{reason: "A quantity.", value: "1k", bad: true},
	},
	fakedriver.ParameterIgnoreUnknown: {
		{reason: "Nothing is unknown here.", value: "true"},
		{reason: "The default.", value: "false"},
		{reason: "Not a word for it.", value: "yes", bad: true},
	},
	fakedriver.ParameterRegion: {
		{reason: "One of Amazon's.", value: "us-west-2", want: fakedriver.BucketSpec{Region: "us-west-2"}},
		{reason: "One of another's.", value: "garage", want: fakedriver.BucketSpec{Region: "garage"}},
		{reason: "Would not fit into a credential scope.", value: "us/west", bad: true},
		{reason: "Nothing is said.", value: "", bad: true},
	},
	fakedriver.ParameterTags: {
		{reason: "One.", value: "team=photos", want: fakedriver.BucketSpec{Tags: map[string]string{"team": "photos"}}},
		{
			reason: "Two, and odd characters.", value: "team=a=b,cost centre=",
			want: fakedriver.BucketSpec{Tags: map[string]string{"team": "a=b", "cost centre": ""}},
		},
		{reason: "None is said by leaving it out.", value: "", bad: true},
		{reason: "No value.", value: "team", bad: true},
		{reason: "Which of the two?", value: "a=1,a=2", bad: true},
		{reason: "Amazon's own.", value: "aws:a=b", bad: true},
		{reason: "Not a character of tags.", value: "a=b;c", bad: true},
		{reason: "No key.", value: "a=b,=c", bad: true},
	},
	fakedriver.ParameterVersioning: {
		{reason: "The only value.", value: "enabled", want: fakedriver.BucketSpec{Versioning: true}},
		{reason: "It is so by leaving it out.", value: "disabled", bad: true},
	},
}

// TestBucketParameters creates a bucket with every value of the table, which covers all parameters.
func TestBucketParameters(t *testing.T) {
	s := newStore(t)
	c := start(t, fakedriver.Options{Backend: s, VirtualEndpoint: virtualEndpoint})
	for _, parameter := range fakedriver.BucketParameters() {
		values := bucketValues[parameter.Name]
		for _, bad := range []bool{true, false} {
			if !slices.ContainsFunc(values, func(v value) bool { return v.bad == bad }) {
				t.Errorf("parameter %s has no value here that is bad: %t", parameter.Name, bad)
			}
		}
		for _, v := range values {
			t.Run(parameter.Name+"/"+v.value[:min(len(v.value), 30)], func(t *testing.T) {
				parameters := map[string]string{parameter.Name: v.value}
				_, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bucket", Parameters: parameters})
				if v.bad {
					wantRejected(t, v, err, parameter)
					return
				}
				wantCode(t, err, codes.OK)
				v.want.Name, v.want.Owner, v.want.Parameters = "bucket", fakedriver.DefaultName, parameters
				got, err := s.GetBucket(t.Context(), "bucket")
				if diff := cmp.Diff(v.want, got.BucketSpec); err != nil || diff != "" {
					t.Errorf("%s\nGetBucket(): %v; -want, +got:\n%s", v.reason, err, diff)
				}
				if err := s.DeleteBucket(t.Context(), fakedriver.DefaultName, "bucket"); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// wantRejected expects a message with the parameter, its value and the allowed values.
func wantRejected(t *testing.T, v value, err error, parameter fakedriver.Parameter) {
	t.Helper()
	wantCode(t, err, codes.InvalidArgument)
	message := status.Convert(err).Message()
	for _, part := range []string{parameter.Name, v.value[:min(len(v.value), 20)], parameter.Allowed} {
		if !strings.Contains(message, part) {
			t.Errorf("%s\nmessage %q does not mention %q", v.reason, message, part)
		}
	}
}

// TestUnknownParameters expects the error to list the known parameters.
func TestUnknownParameters(t *testing.T) {
	c := start(t, fakedriver.Options{})
	unknown := map[string]string{"nonEmptyDeletoin": "purge"}
	_, err := c.DriverGenerateBucketId(t.Context(), &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: "b", Parameters: unknown})
	wantMentions(t, err, fakedriver.BucketParameters())
	_, err = c.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{BucketId: "bucket", Parameters: unknown})
	wantMentions(t, err, fakedriver.BucketParameters())
	_, err = c.DriverGenerateBucketAccessId(t.Context(), &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
		AccountName: "ba", Parameters: unknown,
	})
	wantMentions(t, err, fakedriver.AccessParameters())
}

func wantMentions(t *testing.T, err error, parameters []fakedriver.Parameter) {
	t.Helper()
	wantCode(t, err, codes.InvalidArgument)
	for _, parameter := range parameters {
		if !strings.Contains(err.Error(), parameter.Name) {
			t.Errorf("message %q does not mention %s", err, parameter.Name)
		}
	}
}

// TestBucketInfo: applications get the same address after the creation of a bucket, for an existing
// one, and with a grant.
func TestBucketInfo(t *testing.T) {
	c := start(t, fakedriver.Options{VirtualEndpoint: virtualEndpoint})
	plain, virtual, elsewhere := info("plain"), info("virtual"), info("elsewhere")
	virtual.S3.Endpoint, virtual.S3.AddressingStyle.Style = virtualEndpoint, cosiv1alpha2.S3AddressingStyle_VIRTUAL
	elsewhere.S3.Region = "us-west-2"
	for _, tc := range []struct {
		parameters map[string]string
		want       *cosiv1alpha2.ObjectProtocolAndBucketInfo
	}{
		{nil, plain},
		{map[string]string{fakedriver.ParameterAddressingStyle: fakedriver.AddressingVirtual}, virtual},
		{map[string]string{fakedriver.ParameterRegion: "us-west-2"}, elsewhere},
	} {
		id := tc.want.GetS3().GetBucketId()
		created, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: id, Parameters: tc.parameters})
		wantCode(t, err, codes.OK)
		found, err := c.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{BucketId: id})
		wantCode(t, err, codes.OK)
		granted, err := c.DriverGrantBucketAccess(t.Context(), grantRequest("ba-"+id, accessed(id, cosiv1alpha2.AccessMode_READ_ONLY)))
		wantCode(t, err, codes.OK)
		for from, got := range map[string]*cosiv1alpha2.ObjectProtocolAndBucketInfo{
			"created": created.GetProtocols(), "found": found.GetProtocols(), "granted": granted.GetBuckets()[0].GetBucketInfo(),
		} {
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s as %s: -want, +got:\n%s", id, from, diff)
			}
		}
	}
}

func TestVirtualNeedsEndpoint(t *testing.T) {
	_, err := start(t, fakedriver.Options{}).DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{
		BucketId: "bucket", Parameters: map[string]string{fakedriver.ParameterAddressingStyle: fakedriver.AddressingVirtual},
	})
	wantInvalid(t, "Clients could not resolve it.", err, fakedriver.ParameterAddressingStyle)
}
