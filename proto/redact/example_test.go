package redact_test

import (
	"fmt"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

func Example() {
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{
		Credentials: &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessSecretKey: "hunter2"}},
	}
	fmt.Println(string(redact.JSON(response)))
	// Output: {"credentials":{"s3":{"accessSecretKey":"***redacted***"}}}
}
