package cosi_test

import (
	"fmt"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

func Example() {
	request, _ := cosiv1alpha1.Messages(cosiv1alpha1.Provisioner_DriverCreateBucket_FullMethodName)
	fmt.Println(request.ProtoReflect().Descriptor().FullName())
	// Output: cosi.v1alpha1.DriverCreateBucketRequest
}
