// Command cosi-emu runs the whole Container Object Storage Interface (COSI) of
// Kubernetes on one machine. `cosi-emu --help` says what it can do.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/command"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	return command.Run(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:])
}

// endings are the signals that ask for an end in good order. The end of a
// terminal is one of them, unless the program was started to survive it, as
// nohup does.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
