package seam_test

import (
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	s3plane "github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// TestUploadFaults overwrites an object by S3 while the second upload is faulty: the store must
// detect it, and keep the earlier object.
func TestUploadFaults(t *testing.T) {
	tests := map[string]struct {
		reason  string
		effect  fault.Effect
		code    string // of the client's error; empty for a broken connection
		outcome string
		body    string // the lost response in the journal
	}{
		"Cut":  {"Half a body is no object.", fault.Effect{CutUpload: 4}, "", "Aborted", `"status":400`},
		"Flip": {"It is not what was signed.", fault.Effect{FlipUpload: 5}, "XAmzContentSHA256Mismatch", "XAmzContentSHA256Mismatch", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i, _, j := withFault(t, fault.Match{Seam: journal.SeamStore, Operation: "PutObject", Nth: 2}, tc.effect)
			c := s3Client(t, i)
			for n, content := range []string{"before", "during the fault", "after"} {
				err := upload(t, c, content)
				if n != 1 {
					if err != nil {
						t.Errorf("upload %d: %v, want no fault", n+1, err)
					}
					continue
				}
				if got := codeOf(err); err == nil || got != tc.code {
					t.Errorf("%s upload 2: %v, want code %q", tc.reason, err, tc.code)
				}
				if got := download(t, c); got != "before" {
					t.Errorf("%s the object is %q, want what was before", tc.reason, got)
				}
			}
			if got := download(t, c); got != "after" {
				t.Errorf("the object is %q in the end", got)
			}
			expectApplied(t, j, "PutObject photos/k "+tc.outcome)
			if got := answerTo(j, "f"); !strings.Contains(got, tc.body) {
				t.Errorf("the journal has the answer %s, want %s in it", got, tc.body)
			}
		})
	}
}

// codeOf is the code of an error of S3; empty for an error of the connection.
func codeOf(err error) string {
	if failed, ok := errors.AsType[smithy.APIError](err); ok {
		return failed.ErrorCode()
	}
	return ""
}

// answerTo is the response in the journal of the request that a fault was applied to.
func answerTo(j *journal.Journal, fault string) string {
	for _, e := range j.Since(0) {
		if e.Fault == fault {
			return string(e.Response)
		}
	}
	return ""
}

// s3Client returns a client of a store behind the seam, without retries.
func s3Client(t *testing.T, i *seam.Incarnation) *s3.Client {
	t.Helper()
	served, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service, err := s3plane.New(s3plane.Options{Options: pipeline.Options{Store: served}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(i.Middleware(service, service.Handler()))
	t.Cleanup(func() {
		server.Close()
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := served.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos", Owner: "o"}); err != nil {
		t.Fatal(err)
	}
	key, err := served.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "app", Owner: "o", Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	return s3.New(s3.Options{
		BaseEndpoint: new(server.URL), Region: fakedriver.DefaultRegion, UsePathStyle: true, RetryMaxAttempts: 1,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		Credentials:                credentials.NewStaticCredentialsProvider(key.AccessKeyID, key.SecretAccessKey, ""),
	})
}

func upload(t *testing.T, c *s3.Client, content string) error {
	t.Helper()
	_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: new("photos"), Key: new("k"), Body: strings.NewReader(content)})
	return err
}

func download(t *testing.T, c *s3.Client) string {
	t.Helper()
	out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("k")})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
