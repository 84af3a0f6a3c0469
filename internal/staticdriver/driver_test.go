package staticdriver_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/internal/driversocket"
	"github.com/cosi-emu/cosi-emu/internal/staticdriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// start serves a driver on a socket until the test ends.
func start(t *testing.T) *grpc.ClientConn {
	t.Helper()
	endpoint := "unix://" + t.TempDir() + "/s.sock"
	listener, err := driversocket.Listen(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- staticdriver.New(staticdriver.Options{}).Serve(ctx, listener) }()
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return conn
}

type secret map[string]string

// with returns a context whose calls have the Secret; nil means none.
func (s secret) with(t *testing.T) context.Context {
	t.Helper()
	if s == nil {
		return t.Context()
	}
	data := map[string][]byte{}
	for key, value := range s {
		data[key] = []byte(value)
	}
	ctx, err := secretparameters.NewOutgoingContext(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// but returns the Secret with another value of a key.
func (s secret) but(key, value string) secret {
	changed := maps.Clone(s)
	changed[key] = value
	return changed
}

var (
	s3Secret = secret{
		"AWS_ENDPOINT_URL": "https://s3.example.com", "AWS_DEFAULT_REGION": "eu-1", "AWS_S3_ADDRESSING_STYLE": "virtual",
		"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "hunter2", "more": "ignored",
	}
	azureSecret = secret{
		"AZURE_STORAGE_ACCOUNT": "acc", "AZURE_STORAGE_SAS_TOKEN": "hunter2", "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP": "2030-01-01T00:00:00Z",
	}
	gcsSecret = secret{"PROJECT_ID": "p", "HMAC_ACCESS_ID": "id", "HMAC_SECRET": "hunter2"}
)

func s3Info(endpoint, region string, style cosiv1alpha2.S3AddressingStyle_Style) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId: "photos", Endpoint: endpoint, Region: region, AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: style},
	}}
}

// Design: P20-STATIC-2
func TestGrant(t *testing.T) {
	const s3, azure, gcs = cosiv1alpha2.ObjectProtocol_S3, cosiv1alpha2.ObjectProtocol_AZURE, cosiv1alpha2.ObjectProtocol_GCS
	const path, virtual = cosiv1alpha2.S3AddressingStyle_PATH, cosiv1alpha2.S3AddressingStyle_VIRTUAL
	const readWrite, readOnly = cosiv1alpha2.AccessMode_READ_WRITE, cosiv1alpha2.AccessMode_READ_ONLY
	s3Key := &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "hunter2"}}
	type parameters = map[string]string
	for name, tc := range map[string]struct {
		reason      string
		protocol    cosiv1alpha2.ObjectProtocol_Type
		mode        cosiv1alpha2.AccessMode_Mode // default: READ_WRITE
		keyless     bool
		secret      secret
		parameters  parameters
		info        *cosiv1alpha2.ObjectProtocolAndBucketInfo
		credentials *cosiv1alpha2.CredentialInfo
		code        codes.Code
		text        string
	}{
		"S3": {
			reason: "the Secret has all", protocol: s3, secret: s3Secret, info: s3Info("https://s3.example.com", "eu-1", virtual), credentials: s3Key,
		},
		"S3Parameters": {
			reason: "a parameter takes precedence", protocol: s3, secret: s3Secret,
			parameters: parameters{"AWS_ENDPOINT_URL": "http://10.0.0.1:9000", "AWS_S3_ADDRESSING_STYLE": "path"},
			info:       s3Info("http://10.0.0.1:9000", "eu-1", path), credentials: s3Key,
		},
		"S3Defaults": {
			reason: "many services have no regions", protocol: s3, secret: s3Secret.but("AWS_DEFAULT_REGION", "").but("AWS_S3_ADDRESSING_STYLE", ""),
			info: s3Info("https://s3.example.com", "us-east-1", path), credentials: s3Key,
		},
		"Azure": {
			reason: "a token may have an end", protocol: azure, secret: azureSecret,
			info: &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: "acc"}},
			credentials: &cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{
				AccessToken: "hunter2", ExpiryTimestamp: "2030-01-01T00:00:00Z",
			}},
		},
		"GCS": {
			reason: "as HMAC key", protocol: gcs, secret: gcsSecret,
			info:        &cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{ProjectId: "p", BucketName: "photos"}},
			credentials: &cosiv1alpha2.CredentialInfo{Gcs: &cosiv1alpha2.GcsCredentialInfo{AccessId: "id", AccessSecret: "hunter2"}},
		},
		"ReadOnly": {
			reason: "the class declares the mode of its keys", protocol: s3, secret: s3Secret, mode: readOnly,
			parameters: parameters{"accessMode": "ReadOnly"}, info: s3Info("https://s3.example.com", "eu-1", virtual), credentials: s3Key,
		},
		"OtherMode": {
			reason: "keys that write must not reach a reader", protocol: s3, secret: s3Secret, mode: readOnly,
			code: codes.InvalidArgument, text: "access mode READ_ONLY is not the mode of the credentials of the class, READ_WRITE",
		},
		"MoreThanPermitted": {
			reason: "keys that only read do not write", protocol: s3, secret: s3Secret, parameters: parameters{"accessMode": "ReadOnly"},
			code: codes.InvalidArgument, text: "access mode READ_WRITE",
		},
		"NoMode": {
			reason: "misspelt", protocol: s3, secret: s3Secret, parameters: parameters{"accessMode": "readonly"},
			code: codes.InvalidArgument,
			text: "ReadWrite, ReadOnly or WriteOnly",
		},
		"NoSecret": {
			reason: "the class must name one", protocol: s3,
			code: codes.InvalidArgument,
			text: "no values for AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: name a Secret",
		},
		"FlagOff": {
			reason: "the sidecar has not read it", protocol: s3,
			parameters: parameters{secretparameters.Name: "keys", secretparameters.Namespace: "backends"},
			code:       codes.InvalidArgument,
			text:       "--secret-parameters-from=backends",
		},
		"NoKey": {
			reason: "an administrator may add it", protocol: s3, secret: s3Secret.but("AWS_SECRET_ACCESS_KEY", ""),
			code: codes.FailedPrecondition,
			text: "no values for AWS_SECRET_ACCESS_KEY",
		},
		"Endpoint": {
			reason: "applications need a URL", protocol: s3, secret: s3Secret.but("AWS_ENDPOINT_URL", "s3.example.com"),
			code: codes.FailedPrecondition,
			text: "key AWS_ENDPOINT_URL of the Secret that the class names must be a URL",
		},
		"Style": {
			reason: "misspelt", protocol: s3, secret: s3Secret, parameters: parameters{"AWS_S3_ADDRESSING_STYLE": "host"},
			code: codes.InvalidArgument,
			text: "parameter AWS_S3_ADDRESSING_STYLE must be path or virtual",
		},
		"Parameter": {
			reason: "misspelt", protocol: s3, secret: s3Secret, parameters: parameters{"region": "eu"},
			code: codes.InvalidArgument,
			text: `parameter "region" is unknown`,
		},
		"KeyInClass": {
			reason: "users can read classes", protocol: s3, secret: s3Secret, parameters: parameters{"AWS_SECRET_ACCESS_KEY": "hunter2"},
			code: codes.InvalidArgument, text: "parameter AWS_SECRET_ACCESS_KEY is a credential",
		},
		"Keyless": {
			reason: "the Secret has keys", protocol: s3, keyless: true, secret: s3Secret,
			code: codes.InvalidArgument,
			text: "it must be Key",
		},
		"Protocol": {reason: "the request must name one", secret: s3Secret, code: codes.InvalidArgument, text: "protocol UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			request := grantRequest(tc.protocol)
			request.Parameters = tc.parameters
			request.Buckets[0].ObjectDataAccessMode.Mode = max(tc.mode, readWrite)
			if tc.keyless {
				request.AuthenticationType.Type = cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT
			}
			got, err := cosiv1alpha2.NewProvisionerClient(start(t)).DriverGrantBucketAccess(tc.secret.with(t), request)
			if checkError(t, tc.reason, err, tc.code, tc.text) {
				return
			}
			want := &cosiv1alpha2.DriverGrantBucketAccessResponse{
				Credentials: tc.credentials,
				Buckets:     []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{{BucketId: "photos", BucketInfo: tc.info}},
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// grantRequest requests keys that read and write the objects of a bucket.
func grantRequest(protocol cosiv1alpha2.ObjectProtocol_Type) *cosiv1alpha2.DriverGrantBucketAccessRequest {
	mode := func(m cosiv1alpha2.AccessMode_Mode) *cosiv1alpha2.AccessMode {
		return &cosiv1alpha2.AccessMode{Mode: m}
	}
	return &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: "ba-1", Protocol: &cosiv1alpha2.ObjectProtocol{Type: protocol},
		AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
			BucketId: "photos", ObjectDataAccessMode: mode(cosiv1alpha2.AccessMode_READ_WRITE),
			ObjectMetadataAccessMode: mode(cosiv1alpha2.AccessMode_ANY), BucketMetadataAccessMode: mode(cosiv1alpha2.AccessMode_ANY),
		}},
	}
}

// checkError reports whether the call failed, as it must. No error has a secret.
func checkError(t *testing.T, reason string, err error, code codes.Code, text string) bool {
	t.Helper()
	message := status.Convert(err).Message()
	if status.Code(err) != code || !strings.Contains(message, text) || strings.Contains(message, "hunter2") {
		t.Errorf("%s: %v, want %s with %q", reason, err, code, text)
	}
	return err != nil
}

// Design: P20-STATIC-1
func TestGetBucket(t *testing.T) {
	both := []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}, {Type: cosiv1alpha2.ObjectProtocol_GCS}}
	for name, tc := range map[string]struct {
		reason  string
		request *cosiv1alpha2.DriverGetBucketRequest
		secret  secret
		want    *cosiv1alpha2.ObjectProtocolAndBucketInfo
		code    codes.Code
		text    string
	}{
		"NoSecret": {
			reason:  "only accesses need credentials",
			request: &cosiv1alpha2.DriverGetBucketRequest{BucketId: "photos", Protocols: both[:1]},
			want:    s3Info("", "us-east-1", cosiv1alpha2.S3AddressingStyle_PATH),
		},
		"TwoProtocols": {
			reason: "some providers have one bucket in both", secret: s3Secret.but("PROJECT_ID", "p"),
			request: &cosiv1alpha2.DriverGetBucketRequest{BucketId: "photos", Protocols: both},
			want: &cosiv1alpha2.ObjectProtocolAndBucketInfo{
				S3:  s3Info("https://s3.example.com", "eu-1", cosiv1alpha2.S3AddressingStyle_VIRTUAL).GetS3(),
				Gcs: &cosiv1alpha2.GcsBucketInfo{ProjectId: "p", BucketName: "photos"},
			},
		},
		"NoProtocol": {
			reason: "the driver cannot find it out", request: &cosiv1alpha2.DriverGetBucketRequest{BucketId: "photos"},
			code: codes.InvalidArgument, text: "the Bucket has no spec.protocols",
		},
		"NoBucket": {
			reason: "required", request: &cosiv1alpha2.DriverGetBucketRequest{Protocols: both},
			code: codes.InvalidArgument,
			text: "bucket_id",
		},
		"Parameter": {
			reason: "the class of accesses has the mode",
			request: &cosiv1alpha2.DriverGetBucketRequest{
				BucketId: "photos", Protocols: both, Parameters: map[string]string{"accessMode": "ReadOnly"},
			},
			code: codes.InvalidArgument, text: `parameter "accessMode" is unknown`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := cosiv1alpha2.NewProvisionerClient(start(t)).DriverGetBucket(tc.secret.with(t), tc.request)
			if checkError(t, tc.reason, err, tc.code, tc.text) {
				return
			}
			if diff := cmp.Diff(tc.want, got.GetProtocols(), protocmp.Transform()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOtherCalls: the driver creates nothing, and there is nothing to delete or revoke at the provider.
func TestOtherCalls(t *testing.T) {
	ctx := t.Context()
	conn := start(t)
	client := cosiv1alpha2.NewProvisionerClient(conn)
	info, err := cosiv1alpha2.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
	if err != nil || info.GetName() != "static.cosi-emu" || len(info.GetSupportedProtocols()) != 3 {
		t.Errorf("DriverGetInfo() = %v, %v", info, err)
	}
	_, err = client.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: "bc-1"})
	checkError(t, "DriverGenerateBucketId", err, codes.InvalidArgument, "creates no buckets: create a Bucket with")
	_, err = client.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bc-1"})
	checkError(t, "DriverCreateBucket", err, codes.InvalidArgument, "creates no buckets")
	account, err := client.DriverGenerateBucketAccessId(ctx, &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{AccountName: "ba-1"})
	if err != nil || account.GetAccountId() != "ba-1" {
		t.Errorf("DriverGenerateBucketAccessId() = %v, %v", account, err)
	}
	_, err = client.DriverRevokeBucketAccess(ctx, &cosiv1alpha2.DriverRevokeBucketAccessRequest{AccountId: "ba-1"})
	checkError(t, "DriverRevokeBucketAccess", err, codes.OK, "")
	_, err = client.DriverDeleteBucket(ctx, &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "bc-1"})
	checkError(t, "DriverDeleteBucket", err, codes.OK, "")
}

// TestV1alpha1: the Secret decides about the protocol, which requests do not name.
func TestV1alpha1(t *testing.T) {
	ctx := t.Context()
	conn := start(t)
	client := cosiv1alpha1.NewProvisionerClient(conn)
	if info, err := cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{}); err != nil ||
		info.GetName() != staticdriver.DefaultName {
		t.Errorf("DriverGetInfo() = %v, %v", info, err)
	}
	for name, tc := range map[string]struct {
		secret         secret
		authentication cosiv1alpha1.AuthenticationType
		want           map[string]*cosiv1alpha1.CredentialDetails
		code           codes.Code
		text           string
	}{
		"S3": {secret: s3Secret, want: map[string]*cosiv1alpha1.CredentialDetails{"s3": {Secrets: map[string]string{
			"endpoint": "https://s3.example.com", "region": "eu-1", "accessKeyID": "AKIA", "accessSecretKey": "hunter2",
		}}}},
		"Azure": {secret: azureSecret, want: map[string]*cosiv1alpha1.CredentialDetails{"azure": {Secrets: map[string]string{
			"accessToken": "hunter2", "expiryTs": "2030-01-01T00:00:00Z",
		}}}},
		"NoSecret": {code: codes.InvalidArgument, text: "name a Secret"},
		"IAM":      {secret: s3Secret, authentication: cosiv1alpha1.AuthenticationType_IAM, code: codes.InvalidArgument, text: "it must be Key"},
	} {
		got, err := client.DriverGrantBucketAccess(tc.secret.with(t), &cosiv1alpha1.DriverGrantBucketAccessRequest{
			BucketId: "photos", Name: "ba-1", AuthenticationType: max(tc.authentication, cosiv1alpha1.AuthenticationType_Key),
		})
		if checkError(t, name, err, tc.code, tc.text) {
			continue
		}
		want := &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: "ba-1", Credentials: tc.want}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	_, err := client.DriverCreateBucket(ctx, &cosiv1alpha1.DriverCreateBucketRequest{Name: "bc-1"})
	checkError(t, "DriverCreateBucket", err, codes.InvalidArgument, "creates no buckets")
	_, err = client.DriverRevokeBucketAccess(ctx, &cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: "photos", AccountId: "ba-1"})
	checkError(t, "DriverRevokeBucketAccess", err, codes.OK, "")
	_, err = client.DriverDeleteBucket(ctx, &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: "photos"})
	checkError(t, "DriverDeleteBucket", err, codes.OK, "")
}

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		options staticdriver.Options
		text    string
	}{
		"Good":     {staticdriver.Options{Endpoint: "unix:///run/s.sock"}, ""},
		"Name":     {staticdriver.Options{Endpoint: "unix:///run/s.sock", Name: "A_b"}, `driver name "A_b"`},
		"Endpoint": {staticdriver.Options{Endpoint: "unix:///run/s"}, "ends in .sock"},
	} {
		err := tc.options.Validate()
		if (err != nil) != (tc.text != "") || err != nil && !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: %v, want %q", name, err, tc.text)
		}
	}
}

// TestRun: the driver listens on its socket until its context ends, and rejects invalid options.
func TestRun(t *testing.T) {
	if err := staticdriver.Run(t.Context(), staticdriver.Options{Endpoint: "unix:///run/s"}); err == nil {
		t.Error("Run() with an invalid endpoint = nil, want an error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	endpoint := "unix://" + t.TempDir() + "/s.sock"
	ended := make(chan error, 1)
	go func() {
		ended <- staticdriver.Run(ctx, staticdriver.Options{Endpoint: endpoint, Name: "mine.example.com"})
	}()
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	client := cosiv1alpha2.NewIdentityClient(conn)
	info, err := client.DriverGetInfo(harness.Context(t), &cosiv1alpha2.DriverGetInfoRequest{}, grpc.WaitForReady(true))
	if err != nil || info.GetName() != "mine.example.com" {
		t.Errorf("DriverGetInfo() = %v, %v", info, err)
	}
	_ = conn.Close()
	cancel()
	if err := harness.Receive(t, "the end of the driver", ended); err != nil {
		t.Error(err)
	}
}
