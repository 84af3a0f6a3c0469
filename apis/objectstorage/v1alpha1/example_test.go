package v1alpha1_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
)

func Example() {
	secret := map[string][]byte{v1alpha1.BucketInfoKey: []byte(`{"spec":{"bucketName":"bucket-1234","secretS3":{"endpoint":"https://s3.test"}}}`)}
	info, err := v1alpha1.ParseBucketInfo(secret[v1alpha1.BucketInfoKey])
	if err != nil {
		panic(err)
	}
	fmt.Println(info.Spec.SecretS3.Endpoint)
	// Output: https://s3.test
}
