package staticdriver_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// TestDocumentedKeys: docs/driver.md lists the keys that a Secret must have, and no others.
// Design: CSI-SECRET-4
func TestDocumentedKeys(t *testing.T) {
	page, err := os.ReadFile("../../docs/driver.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| protocol | keys of the Secret | also allowed as parameter |\n")
	client := cosiv1alpha2.NewProvisionerClient(start(t))
	for name, tc := range map[string]struct {
		protocol cosiv1alpha2.ObjectProtocol_Type
		all      secret
	}{
		"S3":    {cosiv1alpha2.ObjectProtocol_S3, s3Secret},
		"Azure": {cosiv1alpha2.ObjectProtocol_AZURE, azureSecret},
		"GCS":   {cosiv1alpha2.ObjectProtocol_GCS, gcsSecret},
	} {
		t.Run(name, func(t *testing.T) {
			_, row, _ := strings.Cut(table, "| "+name+" | ")
			cell, _, _ := strings.Cut(row, " |")
			required, _, _ := strings.Cut(cell, "; optional: ")
			given := secret{}
			for _, match := range regexp.MustCompile("`([A-Z_]+)`").FindAllStringSubmatch(required, -1) {
				given[match[1]] = tc.all[match[1]]
			}
			_, err := client.DriverGrantBucketAccess(given.with(t), grantRequest(tc.protocol))
			checkError(t, "all keys are there that the page requires", err, codes.OK, "")
			for key := range given {
				_, err := client.DriverGrantBucketAccess(given.but(key, "").with(t), grantRequest(tc.protocol))
				checkError(t, "the page requires "+key, err, codes.FailedPrecondition, key)
			}
		})
	}
}
