package store_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// disk is a small disk with a file that can be deleted to have space again.
type disk struct{ dir, ballast string }

func smallDisk(t *testing.T) disk {
	t.Helper()
	const size = 8 << 20
	dir := harness.SmallDisk(t, size)
	d := disk{dir: filepath.Join(dir, "data"), ballast: filepath.Join(dir, "ballast")}
	if err := os.WriteFile(d.ballast, make([]byte, size/2), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFullDisk fills the disk of a store. Acknowledged data stay, the error names the cause, and
// the store continues once space is available.
func TestFullDisk(t *testing.T) {
	for name, size := range map[string]int{"Small": 10_000, "Large": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			d := smallDisk(t)
			acknowledged := map[string]string{}
			t.Run("First", func(t *testing.T) {
				_, c := s3test.Fixture(t, s3test.Options{Dir: d.dir})
				expectFull(t, fill(t, c, size, acknowledged))
				expectObjects(t, c, acknowledged)
				if err := os.Remove(d.ballast); err != nil {
					t.Fatal(err)
				}
				s3test.Put(t, c, "after", "there is space")
				acknowledged["after"] = "there is space"
			})
			s := s3test.Serve(t, s3test.Options{Dir: d.dir})
			expectObjects(t, s.Client(t, s.Account(t, "app", s3test.ReadWrite("photos"))), acknowledged)
		})
	}
}

// fill puts objects until that fails.
func fill(t *testing.T, c *s3.Client, size int, acknowledged map[string]string) error {
	t.Helper()
	const most = 10_000
	for i := range most {
		key := fmt.Sprint("object-", i)
		content := strings.Repeat(fmt.Sprintf("%09d ", i), size/10)
		_, err := c.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: new("photos"), Key: &key, Body: strings.NewReader(content),
		}, func(o *s3.Options) { o.Retryer = aws.NopRetryer{} })
		if err != nil {
			t.Logf("%d objects fit on the disk", i)
			return err
		}
		acknowledged[key] = content
	}
	t.Fatal("the disk does not get full")
	return nil
}

func expectFull(t *testing.T, err error) {
	t.Helper()
	response, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok || response.HTTPStatusCode() != http.StatusInsufficientStorage {
		t.Errorf("PutObject: %v, want status 507", err)
	}
	failure, ok := errors.AsType[smithy.APIError](err)
	if !ok || failure.ErrorCode() != "InternalError" || !strings.Contains(failure.ErrorMessage(), syscall.ENOSPC.Error()) {
		t.Errorf("PutObject: %v, want InternalError because of %q", err, syscall.ENOSPC)
	}
}

func expectObjects(t *testing.T, c *s3.Client, want map[string]string) {
	t.Helper()
	for key, content := range want {
		if got := s3test.Get(t, c, key); got != content {
			t.Errorf("object %s has %d bytes, which are not those that were acknowledged", key, len(got))
		}
	}
}
