// Command cosi-emu runs the whole Container Object Storage Interface (COSI) of
// Kubernetes on one machine. `cosi-emu --help` says what it can do.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/command"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	return command.Run(ctx, command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:])
}
