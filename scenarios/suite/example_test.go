package suite_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

func Example() {
	areas, err := suite.FS.ReadDir(".")
	if err != nil {
		panic(err)
	}
	fmt.Println(areas[0].Name())
	// Output: access
}
