// Command driver serves the driver until SIGTERM. It listens at $COSI_ENDPOINT, and keeps its
// state in $STATE_DIR, or in memory without that.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	driver "example.com/driver-author"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be done
	}
}

func run(ctx context.Context) error {
	served := driver.New()
	if dir := os.Getenv("STATE_DIR"); dir != "" {
		var err error
		if served, err = driver.Open(filepath.Join(dir, "state.json")); err != nil {
			return err
		}
	}
	return served.Serve(ctx, os.Getenv("COSI_ENDPOINT"))
}
