package redact_test

import (
	"fmt"

	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

func Example() {
	response := &cosi.DriverGrantBucketAccessResponse{
		Credentials: &cosi.CredentialInfo{S3: &cosi.S3CredentialInfo{AccessSecretKey: "hunter2"}},
	}
	fmt.Println(string(redact.JSON(response)))
	// Output: {"credentials":{"s3":{"accessSecretKey":"***redacted***"}}}
}
