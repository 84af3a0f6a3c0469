package emulator_test

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator"
)

func Example() {
	ctx := context.Background()
	emu, err := emulator.Start(ctx, emulator.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println("export KUBECONFIG=" + emu.Info().Kubeconfig)
	if err := emu.Stop(ctx); err != nil {
		panic(err)
	}
}
