package fakedriver_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// oldClient is a connection to a driver of v1alpha1.
type oldClient struct {
	cosiv1alpha1.IdentityClient
	cosiv1alpha1.ProvisionerClient
}

func startOld(t *testing.T, options fakedriver.Options) oldClient {
	t.Helper()
	options.Dialect = dialects.V1alpha1
	conn := connect(t, options)
	return oldClient{cosiv1alpha1.NewIdentityClient(conn), cosiv1alpha1.NewProvisionerClient(conn)}
}

func (c oldClient) create(t *testing.T, name string) *cosiv1alpha1.DriverCreateBucketResponse {
	t.Helper()
	created, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: name})
	if err != nil {
		t.Fatalf("DriverCreateBucket(%q): %v", name, err)
	}
	return created
}

func oldGrant(
	name, bucket string, change ...func(*cosiv1alpha1.DriverGrantBucketAccessRequest),
) *cosiv1alpha1.DriverGrantBucketAccessRequest {
	r := &cosiv1alpha1.DriverGrantBucketAccessRequest{
		BucketId: bucket, Name: name, AuthenticationType: cosiv1alpha1.AuthenticationType_Key,
	}
	for _, f := range change {
		f(r)
	}
	return r
}

func note(text string) map[string]string { return map[string]string{fakedriver.ParameterNote: text} }

// TestDialectOfOne: a driver speaks one version of COSI, and a caller of the other gets
// UNIMPLEMENTED.
func TestDialectOfOne(t *testing.T) {
	for dialect, want := range map[dialects.Dialect]struct{ v1alpha1, v1alpha2 codes.Code }{
		"":                {codes.Unimplemented, codes.OK},
		dialects.V1alpha1: {codes.OK, codes.Unimplemented},
		dialects.KEP:      {codes.Unimplemented, codes.OK},
	} {
		conn := connect(t, fakedriver.Options{Dialect: dialect, Name: "mine.example.com"})
		old, err := cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(t.Context(), &cosiv1alpha1.DriverGetInfoRequest{})
		wantCode(t, err, want.v1alpha1)
		if err == nil && old.GetName() != "mine.example.com" {
			t.Errorf("DriverGetInfo() = %v, want name mine.example.com", old)
		}
		_, err = cosiv1alpha2.NewIdentityClient(conn).DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
		wantCode(t, err, want.v1alpha2)
	}
}

// Spec: A1-CREATE-2, A1-CREATE-3, A1-FIELD-7
func TestV1alpha1Create(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	first := c.create(t, "photos")
	want := &cosiv1alpha1.DriverCreateBucketResponse{
		BucketId: "photos",
		BucketInfo: &cosiv1alpha1.Protocol{Type: &cosiv1alpha1.Protocol_S3{S3: &cosiv1alpha1.S3{
			Region: fakedriver.DefaultRegion, SignatureVersion: cosiv1alpha1.S3SignatureVersion_S3V4,
		}}},
	}
	if diff := cmp.Diff(want, first, protocmp.Transform()); diff != "" {
		t.Errorf("DriverCreateBucket(): -want, +got:\n%s", diff)
	}
	for _, step := range []struct {
		reason  string
		request *cosiv1alpha1.DriverCreateBucketRequest
		want    codes.Code
	}{
		{"The same call has the same answer.", &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"}, codes.OK},
		{"Other parameters.", &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos", Parameters: note("mine")}, codes.AlreadyExists},
		{"A new one.", &cosiv1alpha1.DriverCreateBucketRequest{Name: "noted", Parameters: note("mine")}, codes.OK},
		{"The same parameters.", &cosiv1alpha1.DriverCreateBucketRequest{Name: "noted", Parameters: note("mine")}, codes.OK},
		{"Without them.", &cosiv1alpha1.DriverCreateBucketRequest{Name: "noted"}, codes.AlreadyExists},
	} {
		got, err := c.DriverCreateBucket(t.Context(), step.request)
		wantCode(t, err, step.want)
		want.BucketId = step.request.GetName()
		if diff := cmp.Diff(want, got, protocmp.Transform()); err == nil && diff != "" {
			t.Errorf("%s: -want, +got:\n%s", step.reason, diff)
		}
	}
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 2 {
		t.Errorf("Buckets() = %v, %v; want two", buckets, err)
	}
}

// TestV1alpha1BucketID: a name that S3 does not allow gets another ID, which the other calls
// accept.
// Spec: A1-CREATE-6
func TestV1alpha1BucketID(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	name := "class-" + strings.Repeat("a", 122)
	id := c.create(t, name).GetBucketId()
	if again := c.create(t, name).GetBucketId(); id == name || fakedriver.ValidateBucketName(id) != nil || again != id {
		t.Errorf("the ID of %s is %q, then %q; want the same name of a bucket twice", name, id, again)
	}
	if _, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", id)); err != nil {
		t.Error(err)
	}
	_, err := c.DriverDeleteBucket(t.Context(), &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: id})
	wantCode(t, err, codes.OK)
	if buckets, err := s.Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("Buckets() = %v, %v; want none", buckets, err)
	}
}

// Spec: A1-DELETE-1
func TestV1alpha1Delete(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	c.create(t, "photos")
	if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "foreign", Owner: "admin"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		id   string
		want codes.Code
	}{
		{"photos", codes.OK}, {"photos", codes.OK}, {"never-existed", codes.OK}, {"foreign", codes.FailedPrecondition},
	} {
		_, err := c.DriverDeleteBucket(t.Context(), &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: step.id, DeleteContext: note("x")})
		wantCode(t, err, step.want)
	}
}

// Spec: A1-GRANT-1, A1-SECRET-4
func TestV1alpha1Grant(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	c.create(t, "aaa")
	c.create(t, "bbb")
	first, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "aaa"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := first.GetCredentials()[cosiv1alpha1.CredentialsS3].GetSecrets()
	want := &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: "ba-1",
		Credentials: map[string]*cosiv1alpha1.CredentialDetails{"s3": {Secrets: map[string]string{
			"accessKeyID": secrets["accessKeyID"], "accessSecretKey": secrets["accessSecretKey"],
			"endpoint": endpoint, "region": fakedriver.DefaultRegion,
		}}},
	}
	if diff := cmp.Diff(want, first, protocmp.Transform()); diff != "" || secrets["accessKeyID"] == "" || secrets["accessSecretKey"] == "" {
		t.Errorf("DriverGrantBucketAccess(): incomplete key, or -want, +got:\n%s", diff)
	}
	noted := func(r *cosiv1alpha1.DriverGrantBucketAccessRequest) { r.Parameters = note("mine") }
	for _, step := range []struct {
		reason  string
		request *cosiv1alpha1.DriverGrantBucketAccessRequest
		want    codes.Code
	}{
		{"The same call has the same answer.", oldGrant("ba-1", "aaa"), codes.OK},
		{"An account has one bucket.", oldGrant("ba-1", "bbb"), codes.AlreadyExists},
		{"Other parameters.", oldGrant("ba-1", "aaa", noted), codes.AlreadyExists},
		{"A missing bucket may come yet.", oldGrant("ba-2", "missing"), codes.NotFound},
	} {
		got, err := c.DriverGrantBucketAccess(t.Context(), step.request)
		wantCode(t, err, step.want)
		if diff := cmp.Diff(want, got, protocmp.Transform()); err == nil && diff != "" {
			t.Errorf("%s: -want, +got:\n%s", step.reason, diff)
		}
	}
	accounts, err := s.Accounts(t.Context())
	if err != nil || len(accounts) != 1 {
		t.Fatalf("Accounts() = %v, %v; want one, nothing is left of a rejected call", accounts, err)
	}
	grants := []fakedriver.Grant{{
		Bucket: "aaa", ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
	}}
	if diff := cmp.Diff(grants, accounts[0].Grants); diff != "" {
		t.Errorf("grants: -want, +got:\n%s", diff)
	}
}

// Spec: A1-GRANT-2
func TestV1alpha1Revoke(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	c.create(t, "aaa")
	if _, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "aaa")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "foreign", Owner: "admin"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		id   string
		want codes.Code
	}{
		{"ba-1", codes.OK}, {"ba-1", codes.OK}, {"never-existed", codes.OK}, {"foreign", codes.FailedPrecondition},
	} {
		_, err := c.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha1.DriverRevokeBucketAccessRequest{
			BucketId: "aaa", AccountId: step.id, RevokeAccessContext: note("x"),
		})
		wantCode(t, err, step.want)
	}
	if accounts, err := s.Accounts(t.Context()); err != nil || len(accounts) != 1 {
		t.Errorf("Accounts() = %v, %v; want only the foreign one", accounts, err)
	}
}

// TestV1alpha1Invalid: required fields, values and sizes, in every request.
//
//nolint:lll // one case a line
func TestV1alpha1Invalid(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s})
	long, large := strings.Repeat("a", 129), map[string]string{"note": strings.Repeat("a", 4093)}
	create := func(r *cosiv1alpha1.DriverCreateBucketRequest) error {
		_, err := c.DriverCreateBucket(t.Context(), r)
		return err
	}
	remove := func(r *cosiv1alpha1.DriverDeleteBucketRequest) error {
		_, err := c.DriverDeleteBucket(t.Context(), r)
		return err
	}
	grant := func(name, bucket string, change ...func(*cosiv1alpha1.DriverGrantBucketAccessRequest)) error {
		_, err := c.DriverGrantBucketAccess(t.Context(), oldGrant(name, bucket, change...))
		return err
	}
	revoke := func(r *cosiv1alpha1.DriverRevokeBucketAccessRequest) error {
		_, err := c.DriverRevokeBucketAccess(t.Context(), r)
		return err
	}
	type grantRequest = cosiv1alpha1.DriverGrantBucketAccessRequest
	c.create(t, "aaa")
	tests := map[string]struct {
		reason   string
		err      error
		mentions string
	}{
		// Spec: A1-FIELD-2
		"CreateName": {"Required.", create(&cosiv1alpha1.DriverCreateBucketRequest{}), "name is empty"},
		// Spec: A1-SIZE-6
		"CreateLongName": {"128 bytes.", create(&cosiv1alpha1.DriverCreateBucketRequest{Name: long}), "name has 129 bytes"},
		// Spec: A1-CREATE-8
		"CreateBadName": {"Leads elsewhere.", create(&cosiv1alpha1.DriverCreateBucketRequest{Name: "../b"}), "name"},
		// Spec: A1-SIZE-6
		"CreateLarge": {"4 KiB.", create(&cosiv1alpha1.DriverCreateBucketRequest{Name: "bbb", Parameters: large}), "parameters have 4097 bytes"},
		// Spec: A1-CREATE-7
		"CreateParameter": {"Misspelt.", create(&cosiv1alpha1.DriverCreateBucketRequest{Name: "bbb", Parameters: map[string]string{"nota": ""}}), "note"},
		// Spec: A1-FIELD-3
		"DeleteID":     {"Required.", remove(&cosiv1alpha1.DriverDeleteBucketRequest{}), "bucket_id is empty"},
		"DeleteLongID": {"128 bytes.", remove(&cosiv1alpha1.DriverDeleteBucketRequest{BucketId: long}), "bucket_id has 129 bytes"},
		"DeleteLarge":  {"4 KiB.", remove(&cosiv1alpha1.DriverDeleteBucketRequest{BucketId: "aaa", DeleteContext: large}), "delete_context have 4097 bytes"},
		// Spec: A1-FIELD-4
		"GrantBucket":     {"Required.", grant("ba-1", ""), "bucket_id is empty"},
		"GrantLongBucket": {"128 bytes.", grant("ba-1", long), "bucket_id has 129 bytes"},
		"GrantBadBucket":  {"No bucket of this driver.", grant("ba-1", "a:b"), "bucket_id"},
		// Spec: A1-FIELD-4
		"GrantName":      {"Required.", grant("", "aaa"), "name is empty"},
		"GrantLongName":  {"128 bytes.", grant(long, "aaa"), "name has 129 bytes"},
		"GrantBadName":   {"Leads elsewhere.", grant("a/../b", "aaa"), "name"},
		"GrantLarge":     {"4 KiB.", grant("ba-1", "aaa", func(r *grantRequest) { r.Parameters = large }), "parameters have 4097 bytes"},
		"GrantReadOnly":  {"It cannot be limited.", grant("ba-1", "aaa", func(r *grantRequest) { r.Parameters = map[string]string{"accessMode": "ReadOnly"} }), "accessMode"},
		"GrantParameter": {"Misspelt.", grant("ba-1", "aaa", func(r *grantRequest) { r.Parameters = map[string]string{"nota": ""} }), "note"},
		// Spec: A1-FIELD-5
		"GrantType":        {"Required.", grant("ba-1", "aaa", func(r *grantRequest) { r.AuthenticationType = 0 }), "must be Key"},
		"GrantUnknownType": {"Not one.", grant("ba-1", "aaa", func(r *grantRequest) { r.AuthenticationType = 7 }), "must be Key"},
		// Spec: A1-GRANT-3
		"GrantIAM": {"This backend verifies no tokens.", grant("ba-1", "aaa", func(r *grantRequest) { r.AuthenticationType = cosiv1alpha1.AuthenticationType_IAM }), "IAM is not supported"},
		// Spec: A1-FIELD-6
		"RevokeBucket": {"Required.", revoke(&cosiv1alpha1.DriverRevokeBucketAccessRequest{AccountId: "ba-1"}), "bucket_id is empty"},
		// Spec: A1-FIELD-6
		"RevokeAccount": {"Required.", revoke(&cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: "aaa"}), "account_id is empty"},
		"RevokeLong":    {"128 bytes.", revoke(&cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: "aaa", AccountId: long}), "account_id has 129 bytes"},
		"RevokeLarge":   {"4 KiB.", revoke(&cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: "aaa", AccountId: "ba-1", RevokeAccessContext: large}), "revoke_access_context have 4097 bytes"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { wantInvalid(t, tc.reason, tc.err, tc.mentions) })
	}
	buckets, bucketsErr := s.Buckets(t.Context())
	accounts, accountsErr := s.Accounts(t.Context())
	if err := errors.Join(bucketsErr, accountsErr); err != nil || len(buckets) != 1 || len(accounts) != 0 {
		t.Errorf("rejected calls have left buckets %v and accounts %v, %v", buckets, accounts, err)
	}
}

// TestV1alpha1IAM: an account without a key, for a ServiceAccount that the driver does not know.
// Spec: A1-GRANT-5
func TestV1alpha1IAM(t *testing.T) {
	s := newStore(t)
	c := startOld(t, fakedriver.Options{Backend: s, ServiceAccounts: true})
	c.create(t, "photos")
	keyless := func(r *cosiv1alpha1.DriverGrantBucketAccessRequest) {
		r.AuthenticationType = cosiv1alpha1.AuthenticationType_IAM
	}
	want := &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: "ba-1",
		Credentials: map[string]*cosiv1alpha1.CredentialDetails{
			"s3": {Secrets: map[string]string{"endpoint": endpoint, "region": fakedriver.DefaultRegion}},
		},
	}
	for range 2 {
		got, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos", keyless))
		if diff := cmp.Diff(want, got, protocmp.Transform()); err != nil || diff != "" {
			t.Errorf("DriverGrantBucketAccess(): %v; -want, +got:\n%s", err, diff)
		}
	}
	_, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
	wantCode(t, err, codes.AlreadyExists)
	accounts, err := s.Accounts(t.Context())
	if err != nil || len(accounts) != 1 || accounts[0].ServiceAccount != fakedriver.AnyServiceAccount || accounts[0].AccessKeyID != "" {
		t.Errorf("Accounts() = %+v, %v; want one of ServiceAccount *, without a key", accounts, err)
	}
}

func TestV1alpha1Protocols(t *testing.T) {
	for protocol, check := range map[fakedriver.Protocol]func(t *testing.T, c oldClient, info *cosiv1alpha1.Protocol){
		fakedriver.ProtocolAzure: func(t *testing.T, c oldClient, info *cosiv1alpha1.Protocol) {
			t.Helper()
			granted, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
			secrets := granted.GetCredentials()[cosiv1alpha1.CredentialsAzure].GetSecrets()
			account := info.GetAzureBlob().GetStorageAccount()
			if err != nil || account == "" || len(granted.GetCredentials()) != 1 ||
				!strings.HasPrefix(secrets[cosiv1alpha1.AzureAccessToken], "https://"+account) {
				t.Errorf("bucket_info %v, then a token for another account, %v", info, err)
			}
			_, err = c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-2", "photos", func(r *cosiv1alpha1.DriverGrantBucketAccessRequest) {
				r.AuthenticationType = cosiv1alpha1.AuthenticationType_IAM
			}))
			wantInvalid(t, "Only S3 has it here.", err, "IAM is not supported")
		},
		fakedriver.ProtocolGCS: func(t *testing.T, c oldClient, info *cosiv1alpha1.Protocol) {
			t.Helper()
			if info.GetGcs().GetProjectId() != fakedriver.GCSProject {
				t.Errorf("bucket_info = %v, want project %s", info, fakedriver.GCSProject)
			}
			_, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "photos"))
			wantInvalid(t, "There is no place for the key.", err, "GCS")
		},
	} {
		t.Run(protocol.String(), func(t *testing.T) {
			c := startOld(t, fakedriver.Options{Protocols: []fakedriver.Protocol{protocol}, ServiceAccounts: true})
			check(t, c, c.create(t, "photos").GetBucketInfo())
		})
	}
}

// TestV1alpha1NoSecrets: neither the log nor the message of an error has the secret key.
// Spec: A1-SECRET-1
func TestV1alpha1NoSecrets(t *testing.T) {
	var mu sync.Mutex
	var log strings.Builder
	logger := funcr.New(func(_, line string) {
		mu.Lock()
		defer mu.Unlock()
		log.WriteString(line)
	}, funcr.Options{Verbosity: 10})
	c := startOld(t, fakedriver.Options{Logger: logger})
	c.create(t, "aaa")
	c.create(t, "bbb")
	got, err := c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "aaa"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.DriverGrantBucketAccess(t.Context(), oldGrant("ba-1", "bbb"))
	wantCode(t, err, codes.AlreadyExists)
	mu.Lock()
	defer mu.Unlock()
	key := got.GetCredentials()[cosiv1alpha1.CredentialsS3].GetSecrets()
	if !strings.Contains(log.String(), key[cosiv1alpha1.S3AccessKeyID]) {
		t.Error("the log does not hold the response, so this test shows nothing")
	}
	if strings.Contains(log.String()+err.Error(), key[cosiv1alpha1.S3AccessSecretKey]) {
		t.Error("the log or the error holds the secret")
	}
}

// TestV1alpha1Backend: failures of the backend give the same errors as in v1alpha2, for callers and
// interceptors.
// Spec: A1-CREATE-5
func TestV1alpha1Backend(t *testing.T) {
	for name, tc := range map[string]struct {
		failure error
		want    codes.Code
	}{
		"Plain":    {errors.New("hush"), codes.Internal},
		"Closed":   {fakedriver.ErrClosed, codes.Unavailable},
		"Conflict": {fakedriver.ErrConflict, codes.AlreadyExists},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []string
			seam := grpc.ChainUnaryInterceptor(intercept(&seen))
			c := startOld(t, fakedriver.Options{Backend: broken{create: failing(tc.failure)}, ServerOptions: []grpc.ServerOption{seam}})
			_, err := c.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"})
			wantCode(t, err, tc.want)
			if strings.Contains(status.Convert(err).Message(), "hush") {
				t.Errorf("the message says %q", err)
			}
			if diff := cmp.Diff([]string{cosiv1alpha1.Provisioner_DriverCreateBucket_FullMethodName + " " + tc.want.String()}, seen); diff != "" {
				t.Errorf("what the interceptor sees: -want, +got:\n%s", diff)
			}
		})
	}
}
