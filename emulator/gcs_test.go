package emulator_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// amazonForGCS returns Amazon's client with the key of a Secret of GCS. It sends each request once.
func amazonForGCS(t *testing.T, emu *emulator.Emulator, secret map[string]string) *s3.Client {
	t.Helper()
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(emu.Info().GCSEndpoint), Region: "auto", UsePathStyle: true, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider(secret["HMAC_ACCESS_ID"], secret["HMAC_SECRET"], ""),
	})
}

// codeOfGCS returns the code of an error of the XML API.
func codeOfGCS(err error) string {
	if failed, ok := errors.AsType[smithy.APIError](err); ok {
		return failed.ErrorCode()
	}
	return ""
}

// TestGCSXML uses a bucket of GCS with Amazon's client and the Secret, from the first request to the
// last. Requests are in the journal, without secrets, and faults of the store seam apply to them.
func TestGCSXML(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, everyProtocol())
	s := newStory(t, emu).use(v1alpha2.ProtocolGCS, v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite})
	s.create(s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	c, bucket, key := amazonForGCS(t, emu, secret), aws.String(secret["BUCKET_NAME"]), aws.String("a/b.txt")
	put := func() error {
		_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("content")})
		return err
	}
	if err := emu.Faults().Add(fault.Fault{
		Name: "busy", Match: fault.Match{Seam: journal.SeamStore, Component: emulator.ComponentGCS, Operation: "objects.insert", Nth: 1},
		Effect: fault.Effect{Fail: "SlowDown"},
	}); err != nil {
		t.Fatal(err)
	}
	if err := put(); codeOfGCS(err) != "SlowDown" {
		t.Errorf("with a fault: %v", err)
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	if content := askGCS(t, secret, http.MethodGet, emu.Info().GCSEndpoint+"/"+*bucket+"/a/b.txt", ""); content != "content" {
		t.Errorf("with a token the object is %q", content)
	}
	if held := emu.Store().Contents(t.Context(), *bucket); !slices.Equal(held.Keys, []string{"a/b.txt"}) {
		t.Errorf("Contents() = %v", held)
	}
	expectJournal(t, emu, secret)
	s.delete(s.access)
	s.waitGone(s.access)
	if _, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: key}); codeOfGCS(err) != "InvalidAccessKeyId" {
		t.Errorf("with a revoked key: %v", err)
	}
	if err := emu.Store().EmptyBucket(t.Context(), *bucket); err != nil {
		t.Error(err)
	}
	s.delete(s.claim)
	s.waitDeprovisioned()
	if buckets, err := emu.Store().Buckets(t.Context()); err != nil || len(buckets) != 0 {
		t.Errorf("left: %v, %v", buckets, err)
	}
}

// expectJournal expects the uploads of TestGCSXML in the journal, and no secret.
func expectJournal(t *testing.T, emu *emulator.Emulator, secret map[string]string) {
	t.Helper()
	var outcomes []string
	for _, event := range emu.Journal().Since(0) {
		if strings.Contains(string(event.Request)+string(event.Response)+event.Message, secret["HMAC_SECRET"]) {
			t.Errorf("the journal has a secret: %v", event)
		}
		if event.Component == emulator.ComponentGCS && event.Operation.Name == "objects.insert" {
			outcomes = append(outcomes, event.Operation.Subject+" "+event.Outcome)
		}
	}
	subject := secret["BUCKET_NAME"] + "/a/b.txt "
	if want := []string{subject + "SlowDown", subject + "OK"}; !slices.Equal(outcomes, want) {
		t.Errorf("the journal has %q, want %q", outcomes, want)
	}
}

// TestGCSBatchFaults applies a fault to one call of a batch.
func TestGCSBatchFaults(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, everyProtocol())
	s := newStory(t, emu).use(v1alpha2.ProtocolGCS, v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite})
	s.create(s.claim, s.access)
	s.waitReady()
	secret := s.secret()
	if err := emu.Faults().Add(fault.Fault{
		Name: "busy", Match: fault.Match{Seam: journal.SeamStore, Component: emulator.ComponentGCS, Operation: "objects.delete", Nth: 2},
		Effect: fault.Effect{Fail: "SlowDown"},
	}); err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	call := "DELETE /storage/v1/b/" + secret["BUCKET_NAME"] + "/o/x HTTP/1.1\r\n\r\n\r\n"
	for range 3 {
		body.WriteString("--b\r\nContent-Type: application/http\r\n\r\n" + call)
	}
	body.WriteString("--b--\r\n")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, emu.Info().GCSEndpoint+"/batch/storage/v1", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret["HMAC_ACCESS_ID"]+":"+secret["HMAC_SECRET"])
	r.Header.Set("Content-Type", "multipart/mixed; boundary=b")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if found, busy := bytes.Count(content, []byte("HTTP/1.1 404 ")), bytes.Count(content, []byte("HTTP/1.1 503 ")); found != 2 || busy != 1 {
		t.Errorf("%d calls found nothing, and %d got the fault; want 2 and 1:\n%s", found, busy, content)
	}
}
