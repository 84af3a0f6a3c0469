package authentication_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestWebIdentityProvider uses the SDK like an application in a Pod: a token in a file, and the
// names of a role and of an endpoint.
func TestWebIdentityProvider(t *testing.T) {
	s := s3test.ServiceAccount(t, s3test.Options{})
	cfg := inPod(t, s)
	got, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatalf("Retrieve(): %v", err)
	}
	if left := time.Until(got.Expires); left < 59*time.Minute || left > time.Hour || !strings.HasPrefix(got.AccessKeyID, "ASIA") {
		t.Errorf("Retrieve() = key %s, which expires in %s; want one of an hour", got.AccessKeyID, left)
	}
	c := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	s3test.Put(t, c, "k", "with a token")
	if content := s3test.Get(t, c, "k"); content != "with a token" {
		t.Errorf("GetObject() = %q", content)
	}
	if list, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{}); err != nil || aws.ToString(list.Owner.ID) == "" {
		t.Errorf("ListBuckets() = %+v, %v; want an owner", list, err)
	}
	presigned, err := s3.NewPresignClient(c).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("k")})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := s3test.Send(t, http.MethodGet, presigned.URL, nil, ""); status != http.StatusOK || body != "with a token" {
		t.Errorf("presigned: answer %d: %s", status, body)
	}
	s.Revoke(t, "app")
	_, err = c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("k")})
	if code := s3test.Failure(t, err); code != "InvalidAccessKeyId" {
		t.Errorf("after the account was deleted: %q", code)
	}
}

func inPod(t *testing.T, s *s3test.Server) aws.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("good"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithBaseEndpoint(s.URL), config.WithRegion(s.Region()),
		config.WithRetryMaxAttempts(1), config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	if err != nil {
		t.Fatal(err)
	}
	provider := stscreds.NewWebIdentityRoleProvider(sts.NewFromConfig(cfg), s3test.RoleARN, stscreds.IdentityTokenFile(file))
	cfg.Credentials = aws.NewCredentialsCache(provider)
	return cfg
}
