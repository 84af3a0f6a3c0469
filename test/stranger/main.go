// Command stranger is a newcomer with nothing but an archive of a release. It unpacks the
// archive into an empty root, and types what the README and the first ten minutes of three
// people need: an application developer, the author of tests, the author of a driver. It
// stands in for kubectl and for the AWS CLI, which are not in the archive. It measures how
// long each command takes, and writes a table for docs/first-day.md.
//
//	go run ./test/stranger --archive bin/release/v0.2.0/cosi-emu_v0.2.0_linux_amd64.tar.gz
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stranger:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("stranger", flag.ContinueOnError)
	archive := flags.String("archive", "", "archive of a release for this machine (required)")
	page := flags.String("page", "", "page whose table of times is replaced")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var timings []timing
	for _, p := range people {
		measured, err := follow(ctx, *archive, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		timings = append(timings, measured...)
	}
	table := render(timings)
	if _, err := io.WriteString(out, table); err != nil || *page == "" {
		return err
	}
	return replaceTable(*page, table)
}

// timing is how long a command of a person took.
type timing struct {
	person, command string
	took            time.Duration
}

// follow has a person type their commands in an empty root.
func follow(ctx context.Context, archive string, p person) (measured []timing, err error) {
	dir, err := os.MkdirTemp("/tmp", "st-") // short, for the UNIX socket in it
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary files
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	s := &shell{root: dir, port: port, variables: map[string]string{}}
	defer s.end() //nolint:contextcheck // also after an interrupt
	measure := func(command string, do func() error) error {
		began := time.Now()
		if err := do(); err != nil {
			return fmt.Errorf("$ %s\n%w", command, err)
		}
		measured = append(measured, timing{p.name, command, time.Since(began)})
		fmt.Fprintf(os.Stderr, "%s: %.1f s: %s\n", p.name, time.Since(began).Seconds(), command)
		return nil
	}
	if err := measure("tar -xzf cosi-emu_VERSION_OS_ARCH.tar.gz", func() error { return s.unpack(archive) }); err != nil {
		return nil, err
	}
	commands, err := p.commands(s)
	if err != nil {
		return nil, err
	}
	for _, c := range commands {
		if err := measure(c.text, func() error { return s.expect(ctx, c) }); err != nil {
			return nil, err
		}
	}
	return measured, nil
}

// freePort returns a TCP port of loopback that nothing listens on now.
func freePort(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(err, listener.Close())
}
