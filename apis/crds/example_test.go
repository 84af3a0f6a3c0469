package crds_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/crds"
)

func Example() {
	definitions, err := crds.All()
	if err != nil {
		panic(err)
	}
	for _, definition := range definitions {
		fmt.Println(definition.Spec.Names.Kind)
	}
	// Output:
	// BucketAccessClass
	// BucketAccess
	// BucketClaim
	// BucketClass
	// Bucket
}
