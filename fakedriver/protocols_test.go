package fakedriver_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func protocols(types ...cosiv1alpha2.ObjectProtocol_Type) []*cosiv1alpha2.ObjectProtocol {
	all := make([]*cosiv1alpha2.ObjectProtocol, len(types))
	for i, t := range types {
		all[i] = &cosiv1alpha2.ObjectProtocol{Type: t}
	}
	return all
}

const (
	typeS3    = cosiv1alpha2.ObjectProtocol_S3
	typeGCS   = cosiv1alpha2.ObjectProtocol_GCS
	typeAzure = cosiv1alpha2.ObjectProtocol_AZURE
)

func everything() fakedriver.Options {
	all := []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure}
	return fakedriver.Options{Protocols: all, ServiceAccounts: true}
}

func createWith(id string, types ...cosiv1alpha2.ObjectProtocol_Type) *cosiv1alpha2.DriverCreateBucketRequest {
	return &cosiv1alpha2.DriverCreateBucketRequest{BucketId: id, Protocols: protocols(types...)}
}

func grantWith(id string, protocol cosiv1alpha2.ObjectProtocol_Type, buckets ...string) *cosiv1alpha2.DriverGrantBucketAccessRequest {
	r := grantRequest(id)
	r.Protocol = protocols(protocol)[0]
	for _, bucket := range buckets {
		r.Buckets = append(r.Buckets, accessed(bucket, cosiv1alpha2.AccessMode_READ_WRITE))
	}
	return r
}

func TestGetInfoProtocols(t *testing.T) {
	for _, tc := range []struct {
		options fakedriver.Options
		want    []*cosiv1alpha2.ObjectProtocol
	}{
		{fakedriver.Options{}, protocols(typeS3)},
		{everything(), protocols(typeS3, typeGCS, typeAzure)},
		{fakedriver.Options{Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}}, protocols(typeGCS)},
	} {
		got, err := start(t, tc.options).DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
		if diff := cmp.Diff(tc.want, got.GetSupportedProtocols(), protocmp.Transform()); err != nil || diff != "" {
			t.Errorf("DriverGetInfo() with %v: %v; -want, +got:\n%s", tc.options.Protocols, err, diff)
		}
	}
}

func TestParseProtocols(t *testing.T) {
	for _, tc := range []struct {
		names string
		want  []fakedriver.Protocol
		says  string
	}{
		{"S3", []fakedriver.Protocol{fakedriver.ProtocolS3}, ""},
		{"GCS,S3,Azure", []fakedriver.Protocol{fakedriver.ProtocolGCS, fakedriver.ProtocolS3, fakedriver.ProtocolAzure}, ""},
		{"", nil, "unknown"},
		{"S3,", nil, "unknown"},
		{"s3", nil, `"s3"`},
		{"S3,GCS,S3", nil, "twice"},
	} {
		got, err := fakedriver.ParseProtocols(strings.Split(tc.names, ","))
		if tc.says != "" {
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ParseProtocols(%q) = %v, want an error that says %q", tc.names, err, tc.says)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("ParseProtocols(%q): %v; -want, +got:\n%s", tc.names, err, diff)
		}
	}
	if _, err := fakedriver.New(fakedriver.Options{Backend: newStore(t), Endpoint: endpoint,
		Protocols: []fakedriver.Protocol{}}); err == nil {
		t.Error("there is a driver without a protocol")
	}
}

func TestBucketProtocols(t *testing.T) {
	c := start(t, everything())
	gcs := &cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{ProjectId: fakedriver.GCSProject,
		BucketName: "bkt-gcs"}}
	for _, tc := range []struct {
		reason  string
		request *cosiv1alpha2.DriverCreateBucketRequest
		want    *cosiv1alpha2.ObjectProtocolAndBucketInfo // nil: rejected
		code    codes.Code
	}{
		{"The first is the default.", createWith("bkt-none"), info("bkt-none"), codes.OK},
		{"As ever.", createWith("bkt-s3", typeS3), info("bkt-s3"), codes.OK},
		{"Asked for.", createWith("bkt-gcs", typeGCS), gcs, codes.OK},
		{"The same again.", createWith("bkt-gcs", typeGCS, typeGCS), gcs, codes.OK},
		{"It is there, and another.", createWith("bkt-gcs", typeS3), nil, codes.AlreadyExists},
		{"No bucket is both.", createWith("bkt-both", typeGCS, typeS3), nil, codes.InvalidArgument},
		{"No bucket is both.", createWith("bkt-both", typeAzure, typeGCS), nil, codes.InvalidArgument},
		{"Not a protocol.", createWith("bkt-x", cosiv1alpha2.ObjectProtocol_UNKNOWN), nil, codes.InvalidArgument},
	} {
		got, err := c.DriverCreateBucket(t.Context(), tc.request)
		wantCode(t, err, tc.code)
		if diff := cmp.Diff(tc.want, got.GetProtocols(), protocmp.Transform()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
		}
	}
	for _, tc := range []struct {
		types []cosiv1alpha2.ObjectProtocol_Type
		code  codes.Code
	}{
		{nil, codes.OK},
		{[]cosiv1alpha2.ObjectProtocol_Type{typeGCS}, codes.OK},
		{[]cosiv1alpha2.ObjectProtocol_Type{typeS3}, codes.InvalidArgument},
	} {
		got, err := c.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{BucketId: "bkt-gcs", Protocols: protocols(tc.types...)})
		wantCode(t, err, tc.code)
		if diff := cmp.Diff(gcs, got.GetProtocols(), protocmp.Transform()); err == nil && diff != "" {
			t.Errorf("DriverGetBucket(%v): -want, +got:\n%s", tc.types, diff)
		}
	}
}

func TestParametersOfProtocols(t *testing.T) {
	c := start(t, everything())
	values := map[string]string{
		fakedriver.ParameterVersioning: "enabled", fakedriver.ParameterRegion: "us-west-2", fakedriver.ParameterQuotaObjects: "1",
	}
	for protocol, want := range map[cosiv1alpha2.ObjectProtocol_Type]map[string]codes.Code{
		typeGCS: {
			fakedriver.ParameterNote: codes.OK, fakedriver.ParameterVersioning: codes.OK, fakedriver.ParameterQuotaObjects: codes.OK,
			fakedriver.ParameterRegion: codes.InvalidArgument,
		},
		typeAzure: {
			fakedriver.ParameterNote: codes.OK, fakedriver.ParameterVersioning: codes.InvalidArgument,
			fakedriver.ParameterQuotaObjects: codes.OK, fakedriver.ParameterRegion: codes.InvalidArgument,
		},
	} {
		for name, code := range want {
			request := createWith("bkt-"+strings.ToLower(protocol.String()+"-"+name), protocol)
			request.Parameters = map[string]string{name: values[name]}
			_, err := c.DriverCreateBucket(t.Context(), request)
			wantCode(t, err, code)
		}
	}
}

func TestGrantProtocols(t *testing.T) {
	c := start(t, everything())
	for id, protocol := range map[string]cosiv1alpha2.ObjectProtocol_Type{
		"s3-1": typeS3, "gcs-1": typeGCS, "gcs-2": typeGCS, "azure-1": typeAzure, "azure-2": typeAzure,
	} {
		if _, err := c.DriverCreateBucket(t.Context(), createWith(id, protocol)); err != nil {
			t.Fatal(err)
		}
	}
	serviceAccount := grantWith("ba-sa", typeGCS, "gcs-1")
	serviceAccount.AuthenticationType.Type, serviceAccount.ServiceAccountName = cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT, "builder"
	for _, tc := range []struct {
		reason  string
		request *cosiv1alpha2.DriverGrantBucketAccessRequest
		want    codes.Code
	}{
		{"One bucket.", grantWith("ba-1", typeGCS, "gcs-1"), codes.OK},
		{"Several.", grantWith("ba-2", typeGCS, "gcs-1", "gcs-2"), codes.OK},
		{"Another protocol.", grantWith("ba-3", typeS3, "gcs-1"), codes.InvalidArgument},
		{"Another protocol.", grantWith("ba-3", typeGCS, "s3-1"), codes.InvalidArgument},
		{"One of them is of another.", grantWith("ba-3", typeGCS, "gcs-1", "azure-1"), codes.InvalidArgument},
		{"No tokens but for S3.", serviceAccount, codes.InvalidArgument},
		{"One bucket.", grantWith("ba-4", typeAzure, "azure-1"), codes.OK},
		{"A signature is for one bucket.", grantWith("ba-5", typeAzure, "azure-1", "azure-2"), codes.OutOfRange},
	} {
		got, err := c.DriverGrantBucketAccess(t.Context(), tc.request)
		wantCode(t, err, tc.want)
		if err != nil {
			continue
		}
		for _, bucket := range got.GetBuckets() {
			if (bucket.GetBucketInfo().GetGcs() != nil) != (got.GetCredentials().GetGcs() != nil) || bucket.GetBucketInfo().GetS3() != nil {
				t.Errorf("%s: %v", tc.reason, got)
			}
		}
		if key := got.GetCredentials().GetGcs(); key != nil && (key.GetAccessId() == "" || key.GetAccessSecret() == "") {
			t.Errorf("%s: the key is incomplete", tc.reason)
		}
	}
}

// TestAzure checks shared access signatures of drivers with and without an Azure service.
func TestAzure(t *testing.T) {
	account := sas.Account("photos")
	for endpoint, want := range map[string]string{
		"":                         "https://" + account + ".blob.cosi-emu.invalid/photos",
		"http://127.0.0.1:10000":   "http://127.0.0.1:10000/" + account + "/photos",
		"https://127.0.0.1:10000/": "https://127.0.0.1:10000/" + account + "/photos",
	} {
		s := newStore(t)
		options := everything()
		options.Backend, options.AzureEndpoint = s, endpoint
		c := start(t, options)
		created, err := c.DriverCreateBucket(t.Context(), createWith("photos", typeAzure))
		if err != nil {
			t.Fatal(err)
		}
		if got := created.GetProtocols().GetAzure().GetStorageAccount(); got != account ||
			!regexp.MustCompile(`^[a-z0-9]{3,24}$`).MatchString(got) {
			t.Errorf("the storage account is %q, want %q", got, account)
		}
		first, second := azureToken(t, c), azureToken(t, c)
		expectToken(t, first, want)
		expectToken(t, second, want)
		if first == second {
			t.Error("a token came back after it had been revoked")
		}
		if accounts, err := s.Accounts(t.Context()); err != nil || len(accounts) != 0 {
			t.Errorf("Accounts() = %v, %v", accounts, err)
		}
		_, err = c.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "photos"})
		wantCode(t, err, codes.OK)
	}
}

func expectToken(t *testing.T, token, want string) {
	t.Helper()
	location, text, _ := strings.Cut(token, "?")
	query, err := url.ParseQuery(text)
	if err != nil || location != want {
		t.Fatalf("the token is for %q, %v; want %q", location, err, want)
	}
	if query.Get("sp") != "racwdlf" || query.Get("sig") == "" || query.Get("si") == "" || query.Has("se") {
		t.Errorf("the token says %v", query)
	}
	if query.Get("spr") == "https" == strings.HasPrefix(want, "http:") {
		t.Errorf("the token is for %q", query.Get("spr"))
	}
}

// azureToken grants access, revokes it, and returns the token.
func azureToken(t *testing.T, c client) string {
	t.Helper()
	granted, err := c.DriverGrantBucketAccess(t.Context(), grantWith("ba-1", typeAzure, "photos"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha2.DriverRevokeBucketAccessRequest{AccountId: "ba-1"})
	wantCode(t, err, codes.OK)
	return granted.GetCredentials().GetAzure().GetAccessToken()
}
