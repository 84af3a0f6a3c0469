package dialects_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

func Example() {
	mode := &dialects.AccessMode{Mode: dialects.AccessMode_READ_ONLY}
	fmt.Println(mode.GetMode().Number())
	// Output: 2
}
