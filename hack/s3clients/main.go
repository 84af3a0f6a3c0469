// Command s3clients tries the S3 store with the clients that people use, and
// makes the table of docs/s3.md. It starts a cosi-emu of this tree with a state
// directory of its own, claims buckets from it, and gives every client what the
// Secret of a BucketAccess holds, and nothing else.
//
//	make s3-clients
//
// It fails if something fails that is expected to work. Not expected to work is
// version 2 of S3's signatures, which must be rejected plainly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/catalogue"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/emulator"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/report"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/run"
)

// errFailed says that the table has failures, which it shows.
var errFailed = errors.New("not everything works that should")

// options are the flags.
type options struct {
	root, program, clients, operations, schemes, styles string

	install, write bool
	timeout        time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "s3clients:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

func start(ctx context.Context) error {
	if len(os.Args) == 3 && os.Args[1] == catalogue.Worker {
		return catalogue.Serve(ctx, os.Args[2])
	}
	o := options{}
	flag.StringVar(&o.root, "root", "../..", "directory of cosi-emu's tree")
	flag.StringVar(&o.program, "program", "", "cosi-emu to try (default: build the one of the tree)")
	flag.StringVar(&o.clients, "clients", "", "try only clients whose names contain one of these words, separated by commas")
	flag.StringVar(&o.operations, "operations", "", "try only these operations, separated by commas")
	flag.StringVar(&o.schemes, "schemes", "http,https", "schemes to try")
	flag.StringVar(&o.styles, "styles", "path,virtual", "addressing styles to try")
	flag.BoolVar(&o.install, "install", false, "install the clients that are missing, with apt-get as root")
	flag.BoolVar(&o.write, "write", false, "write the table to docs/s3.md")
	flag.DurationVar(&o.timeout, "timeout", 20*time.Minute, "limit for everything, which takes minutes")
	flag.Parse()
	if o.write && o.clients+o.operations != "" {
		return errors.New("-write is for a run of everything: leave out -clients and -operations")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("not done after %s", o.timeout))
	defer cancel()
	return o.run(ctx)
}

func (o options) run(ctx context.Context) (err error) {
	// Short names: the path of a socket has a hundred characters, and macOS uses up half of them.
	dir, err := os.MkdirTemp("", "s3c-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	clients, missing := catalogue.Find(ctx, o.install, words(o.clients))
	for _, m := range missing {
		fmt.Fprintf(os.Stderr, "skipped: %s: %v\n", m.Name, m.Why)
	}
	if o.program == "" {
		if o.program, err = emulator.Build(ctx, o.root, dir); err != nil {
			return err
		}
	}
	only := words(o.operations)
	r := &run.Run{
		Clients: clients, Schemes: words(o.schemes), Styles: words(o.styles), Program: o.program, Dir: dir, Progress: os.Stderr,
		Operations: slices.DeleteFunc(slices.Clone(operation.All()), func(op operation.Operation) bool {
			return len(only) > 0 && !slices.Contains(only, string(op.ID))
		}),
	}
	table, err := r.Do(ctx)
	if err != nil {
		return err
	}
	for _, m := range missing {
		table.Missing = append(table.Missing, fmt.Sprintf("%s (%v)", m.Name, m.Why))
	}
	return o.print(table)
}

func (o options) print(table *report.Table) error {
	text := table.Markdown()
	if _, err := os.Stdout.WriteString(text); err != nil {
		return err
	}
	if o.write {
		if err := report.Write(filepath.Join(o.root, "docs", "s3.md"), text); err != nil {
			return err
		}
	}
	if failed := len(table.Failed()) + len(table.Unavailable); failed > 0 {
		return fmt.Errorf("%w: %d failures", errFailed, failed)
	}
	return nil
}

// words splits a list at commas.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
