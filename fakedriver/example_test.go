package fakedriver_test

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// backend is a storage that a real program would implement.
type backend struct{ fakedriver.Backend }

func Example() {
	driver, err := fakedriver.New(fakedriver.Options{
		Name:     "my.driver.example",
		Backend:  backend{},
		Endpoint: "http://127.0.0.1:9000",
	})
	if err != nil {
		panic(err)
	}
	info, err := driver.DriverGetInfo(context.Background(), &cosiv1alpha2.DriverGetInfoRequest{})
	fmt.Println(info.GetName(), err)
	// Output: my.driver.example <nil>
}
