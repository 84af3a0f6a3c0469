package objectstorage_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

func Example() {
	version, err := objectstorage.ParseVersion("v1alpha1")
	if err != nil {
		panic(err)
	}
	fmt.Println(version.GroupVersion())
	// Output: objectstorage.k8s.io/v1alpha1
}
