package v1alpha2_test

import (
	"fmt"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func Example() {
	claim := cosiv1alpha2.BucketClaim{
		Status: cosiv1alpha2.BucketClaimStatus{BoundBucketName: cosiv1alpha2.BucketNameForClaim("1234")},
	}
	fmt.Println(claim.Status.BoundBucketName)
	// Output: bc-1234
}
