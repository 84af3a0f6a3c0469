package bridge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func newBridge(t *testing.T, options bridge.Options) *bridge.Bridge {
	t.Helper()
	others := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaks.Check(t, others) })
	options.Driver = "passthrough:driver"
	if options.Store == nil {
		options.Store = memory{}
	}
	b, err := bridge.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil && !errors.Is(err, grpc.ErrClientConnClosing) { //nolint:staticcheck // a test has closed it
			t.Error(err)
		}
	})
	return b
}

func s3() *cosiv1alpha2.ObjectProtocol {
	return &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3}
}

func key() *cosiv1alpha2.AuthenticationType {
	return &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY}
}

func mode(m cosiv1alpha2.AccessMode_Mode) *cosiv1alpha2.AccessMode {
	return &cosiv1alpha2.AccessMode{Mode: m}
}

func readWrite(bucket string) *cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	return &cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
		BucketId: bucket, ObjectDataAccessMode: mode(cosiv1alpha2.AccessMode_READ_WRITE),
		ObjectMetadataAccessMode: mode(cosiv1alpha2.AccessMode_ANY), BucketMetadataAccessMode: mode(cosiv1alpha2.AccessMode_ANY),
	}
}

func grantRequest(change ...func(*cosiv1alpha2.DriverGrantBucketAccessRequest)) *cosiv1alpha2.DriverGrantBucketAccessRequest {
	request := &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: "ba-1", Protocol: s3(), AuthenticationType: key(), Parameters: map[string]string{"tier": "gold"},
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{readWrite("bc-1")},
	}
	for _, f := range change {
		f(request)
	}
	return request
}

// TestRequests checks the driver's requests during the life of a bucket and an account. The
// driver chooses IDs that v1alpha2 does not allow.
func TestRequests(t *testing.T) {
	driver := &oldDriver{credentials: s3Credentials(), idOf: func(name string) string { return "arn:old:" + name }}
	b := newBridge(t, bridge.Options{DialOptions: driver.dial(t)})
	parameters := map[string]string{"tier": "gold"}
	created, err := b.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bc-1", Parameters: parameters})
	if err != nil {
		t.Fatal(err)
	}
	granted, err := b.DriverGrantBucketAccess(t.Context(), grantRequest())
	if err != nil {
		t.Fatal(err)
	}
	for _, later := range life[2:] {
		if err := later.call(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	wantRequests := []any{
		&cosiv1alpha1.DriverCreateBucketRequest{Name: "bc-1", Parameters: parameters},
		&cosiv1alpha1.DriverGrantBucketAccessRequest{
			BucketId: "arn:old:bc-1", Name: "ba-1", AuthenticationType: cosiv1alpha1.AuthenticationType_Key, Parameters: parameters,
		},
		&cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: "arn:old:bc-1", AccountId: "arn:old:ba-1"},
		&cosiv1alpha1.DriverDeleteBucketRequest{BucketId: "arn:old:bc-1"},
	}
	if diff := cmp.Diff(wantRequests, driver.requests, protocmp.Transform()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	wantCreated := &cosiv1alpha2.DriverCreateBucketResponse{
		Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{BucketId: "bc-1"}},
	}
	if diff := cmp.Diff(wantCreated, created, protocmp.Transform()); diff != "" {
		t.Errorf("DriverCreateBucket (-want +got):\n%s", diff)
	}
	wantGranted := &cosiv1alpha2.DriverGrantBucketAccessResponse{
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{{
			BucketId: "bc-1",
			BucketInfo: &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
				BucketId: "bc-1", Endpoint: "https://s3.example.com", Region: "eu-1",
				AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_PATH},
			}},
		}},
		Credentials: &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "hush"}},
	}
	if diff := cmp.Diff(wantGranted, granted, protocmp.Transform()); diff != "" {
		t.Errorf("DriverGrantBucketAccess (-want +got):\n%s", diff)
	}
}

// TestRejected: what v1alpha1 cannot express does not reach the driver.
func TestRejected(t *testing.T) {
	gcs := &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_GCS}
	grant := func(change func(*cosiv1alpha2.DriverGrantBucketAccessRequest)) func(context.Context, *bridge.Bridge) error {
		return func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverGrantBucketAccess(ctx, grantRequest(change))
			return err
		}
	}
	tests := map[string]struct {
		call func(context.Context, *bridge.Bridge) error
		code codes.Code
		says string
	}{
		// Known failure: E81
		"ReadOnly": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets[0].ObjectDataAccessMode = mode(cosiv1alpha2.AccessMode_READ_ONLY)
		}), codes.InvalidArgument, "access mode READ_ONLY for object data"},
		"WriteOnlyMetadata": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets[0].BucketMetadataAccessMode = mode(cosiv1alpha2.AccessMode_WRITE_ONLY)
		}), codes.InvalidArgument, "access mode WRITE_ONLY for bucket metadata"},
		"NoMode": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets[0].ObjectDataAccessMode = nil
		}), codes.InvalidArgument, "the access mode for object data is not known"},
		"TwoBuckets": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets = append(r.Buckets, readWrite("bc-2"))
		}), codes.OutOfRange, "make a BucketAccess for each"},
		"NoBucket": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Buckets = nil
		}), codes.InvalidArgument, "lacks buckets"},
		"GCS": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.Protocol = gcs
		}), codes.InvalidArgument, "protocol GCS is not served"},
		"NoAuthentication": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.AuthenticationType = nil
		}), codes.InvalidArgument, "authentication type UNKNOWN"},
		"NoAccount": {grant(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
			r.AccountId = ""
		}), codes.InvalidArgument, "lacks account_id"},
		"BucketForGCS": {func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{
				Name: "bc-1", Protocols: []*cosiv1alpha2.ObjectProtocol{gcs},
			})
			return err
		}, codes.InvalidArgument, "protocol GCS is not served"},
		"Existing": {func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverGetBucket(ctx, &cosiv1alpha2.DriverGetBucketRequest{BucketId: "mine"})
			return err
		}, codes.Unimplemented, "--assume-existing"},
		"DeleteNothing": {func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverDeleteBucket(ctx, &cosiv1alpha2.DriverDeleteBucketRequest{})
			return err
		}, codes.InvalidArgument, "lacks bucket_id"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			driver := &oldDriver{credentials: s3Credentials()}
			b := newBridge(t, bridge.Options{DialOptions: driver.dial(t)})
			err := tc.call(t.Context(), b)
			if status.Code(err) != tc.code || !strings.Contains(status.Convert(err).Message(), tc.says) {
				t.Errorf("error %v, want %s with %q", err, tc.code, tc.says)
			}
			if len(driver.requests) > 0 {
				t.Errorf("the driver was asked: %v", driver.requests)
			}
		})
	}
}

// TestNames: a name that cannot be an ID of v1alpha2 gets none.
func TestNames(t *testing.T) {
	for name, valid := range map[string]bool{
		"bc-0815": true, "a.b_c/d": true, strings.Repeat("a", 2048): true,
		strings.Repeat("a", 2049): false, "bücket": false, "a b": false, ".": false, "..": false, "a/../b": false, "/a": false, "a//b": false,
	} {
		b := newBridge(t, bridge.Options{DialOptions: (&oldDriver{}).dial(t)})
		want := codes.OK
		if !valid {
			want = codes.InvalidArgument
		}
		_, err := b.DriverGenerateBucketId(t.Context(), &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: name})
		if status.Code(err) != want {
			t.Errorf("bucket %.20q: %v, want %s", name, err, want)
		}
		_, err = b.DriverGenerateBucketAccessId(t.Context(), &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
			AccountName: name, Protocol: s3(), AuthenticationType: key(),
			Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{readWrite("bc-1")},
		})
		if status.Code(err) != want {
			t.Errorf("account %.20q: %v, want %s", name, err, want)
		}
	}
}

// TestSizes: requests with fields larger than v1alpha1 allows do not reach the driver.
// Spec: A1-SIZE-5
func TestSizes(t *testing.T) {
	name := func(n int) string { return strings.Repeat("x", n) }
	parameters := func(n int) map[string]string { return map[string]string{"key": strings.Repeat("x", n-3)} }
	create := func(id string, parameters map[string]string) func(context.Context, *bridge.Bridge) error {
		return func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: id, Parameters: parameters})
			return err
		}
	}
	grant := func(id string, parameters map[string]string) func(context.Context, *bridge.Bridge) error {
		return func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverGrantBucketAccess(ctx, grantRequest(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
				r.AccountId, r.Parameters = id, parameters
			}))
			return err
		}
	}
	for title, tc := range map[string]struct {
		call func(context.Context, *bridge.Bridge) error
		says string
	}{
		"LongestName":  {create(name(128), nil), ""},
		"LongName":     {create(name(129), nil), "name has 129 bytes, more than 128"},
		"LargestMap":   {create("bc-2", parameters(4096)), ""},
		"LargeMap":     {create("bc-2", parameters(4097)), "parameters have 4097 bytes, more than 4096"},
		"LongAccount":  {grant(name(129), nil), "name has 129 bytes, more than 128"},
		"LargestGrant": {grant("ba-1", parameters(4096)), ""},
		"LargeGrant":   {grant("ba-1", parameters(4097)), "parameters have 4097 bytes, more than 4096"},
	} {
		t.Run(title, func(t *testing.T) {
			driver := &oldDriver{credentials: s3Credentials()}
			b := newBridge(t, bridge.Options{DialOptions: driver.dial(t)})
			if err := life[0].call(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			err := tc.call(t.Context(), b)
			switch {
			case tc.says == "" && err != nil:
				t.Error(err)
			case tc.says == "":
			case status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), tc.says):
				t.Errorf("error %v, want INVALID_ARGUMENT with %q", err, tc.says)
			case len(driver.requests) != 1:
				t.Errorf("the driver was asked: %v", driver.requests)
			}
		})
	}
}

// TestCredentials: what drivers return, and what applications get.
func TestCredentials(t *testing.T) {
	azure := func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
		r.Protocol = &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_AZURE}
	}
	const token = "https://account.blob.example.com/?sig=hush"
	tests := map[string]struct {
		reason      string
		credentials map[string]*cosiv1alpha1.CredentialDetails
		change      func(*cosiv1alpha2.DriverGrantBucketAccessRequest)
		want        *cosiv1alpha2.CredentialInfo
		says        string
	}{
		"NoRegion": {
			reason:      "A region is optional in v1alpha1.",
			credentials: s3Credentials(func(s map[string]string) { delete(s, cosiv1alpha1.S3Region) }),
			want:        &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "hush"}},
		},
		"MisspeltKey": {
			reason:      "The keys are named, the values are not.",
			credentials: s3Credentials(func(s map[string]string) { delete(s, cosiv1alpha1.S3AccessSecretKey); s["secretKey"] = "hush" }),
			says: "no value for s3.accessSecretKey, which applications need; " +
				"it returned values for [s3.accessKeyID s3.endpoint s3.region s3.secretKey]",
		},
		"None": {reason: "There is no key without credentials.", says: "it returned values for []"},
		"ServiceAccount": {
			reason:      "Applications authenticate without a key.",
			credentials: s3Credentials(func(s map[string]string) { delete(s, cosiv1alpha1.S3AccessSecretKey) }),
			change: func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
				r.AuthenticationType = &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT}
			},
		},
		"UnknownProtocol": {
			reason: "Protocols that v1alpha2 does not have are ignored.",
			credentials: func() map[string]*cosiv1alpha1.CredentialDetails {
				credentials := s3Credentials()
				credentials["swift"] = &cosiv1alpha1.CredentialDetails{Secrets: map[string]string{"token": "hush"}}
				return credentials
			}(),
			want: &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "hush"}},
		},
		"Azure": {
			reason: "The time is in Go's own form, with what its clock adds.",
			credentials: map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsAzure: {Secrets: map[string]string{
				cosiv1alpha1.AzureAccessToken: token, cosiv1alpha1.AzureExpiry: "2030-01-02 03:04:05.5 +0100 CET m=+7.25",
			}}},
			change: azure,
			want: &cosiv1alpha2.CredentialInfo{
				Azure: &cosiv1alpha2.AzureCredentialInfo{AccessToken: token, ExpiryTimestamp: "2030-01-02T02:04:05Z"},
			},
		},
		"BadExpiry": {
			reason: "A time that cannot be read is not passed on.",
			credentials: map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsAzure: {Secrets: map[string]string{
				cosiv1alpha1.AzureAccessToken: token, cosiv1alpha1.AzureExpiry: "tomorrow",
			}}},
			change: azure, says: `expiryTs "tomorrow"`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			driver := &oldDriver{credentials: tc.credentials}
			b := newBridge(t, bridge.Options{
				DialOptions: driver.dial(t),
				Protocols:   []cosiv1alpha2.ObjectProtocol_Type{cosiv1alpha2.ObjectProtocol_S3, cosiv1alpha2.ObjectProtocol_AZURE},
			})
			if err := life[0].call(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			request := grantRequest()
			if tc.change != nil {
				tc.change(request)
			}
			response, err := b.DriverGrantBucketAccess(t.Context(), request)
			if tc.says != "" {
				if message := status.Convert(err).Message(); status.Code(err) != codes.Internal || !strings.Contains(message, tc.says) ||
					strings.Contains(message, "hush") {
					t.Errorf("%s\nerror %v, want INTERNAL with %q", tc.reason, err, tc.says)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, response.GetCredentials(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\ncredentials (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCodes: the bridge passes the driver's codes and messages on. Deleting a bucket or account
// that is gone is no error.
func TestCodes(t *testing.T) {
	removes := map[string]bool{"DriverRevokeBucketAccess": true, "DriverDeleteBucket": true}
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		for _, step := range life {
			driver := &oldDriver{credentials: s3Credentials()}
			b := newBridge(t, bridge.Options{DialOptions: driver.dial(t)})
			if err := life[0].call(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			driver.fails = func(method string) error {
				if method != step.name {
					return nil
				}
				return status.Error(code, "the driver says so")
			}
			err := step.call(t.Context(), b)
			want := status.Error(code, "the driver says so")
			if code == codes.NotFound && removes[step.name] {
				want = nil
			}
			if diff := cmp.Diff(want, err, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	}
}

// TestNotIdempotent: a driver that makes another bucket and another account in each call has all of
// them removed whose IDs it returned, also the one whose ID is its name.
func TestNotIdempotent(t *testing.T) {
	for form, idOf := range map[string]func(name string, call int) string{
		"Own":       func(name string, call int) string { return name + strings.Repeat("'", call) },
		"NameFirst": func(name string, call int) string { return name + strings.Repeat("'", call-1) },
		"NameLast":  func(name string, call int) string { return name + strings.Repeat("'", 2-call) },
	} {
		t.Run(form, func(t *testing.T) {
			calls := map[string]int{}
			driver := &oldDriver{credentials: s3Credentials(), strict: true}
			driver.idOf = func(name string) string {
				calls[name]++
				return idOf(name, calls[name])
			}
			store := memory{}
			b := newBridge(t, bridge.Options{DialOptions: driver.dial(t), Store: store})
			for _, step := range []int{0, 0, 1, 1, 2, 3} {
				if err := life[step].call(t.Context(), b); err != nil {
					t.Fatalf("%s: %v", life[step].name, err)
				}
			}
			if left := driver.left(); left != nil || len(store) > 0 {
				t.Errorf("left at the driver: %v, in the store: %v", left, store)
			}
		})
	}
}
