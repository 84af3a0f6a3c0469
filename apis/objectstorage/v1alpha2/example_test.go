package v1alpha2_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func Example() {
	claim := v1alpha2.BucketClaim{
		Status: v1alpha2.BucketClaimStatus{BoundBucketName: v1alpha2.BucketNameForClaim("1234")},
	}
	fmt.Println(claim.Status.BoundBucketName)
	// Output: bc-1234
}
