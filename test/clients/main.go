// Command clients uses the services of the fake driver with the clients that people use, and makes the tables of
// docs/clients.md. It starts emulators in its own process, claims buckets through COSI, and gives each client what
// `cosi-emu env --access` prints, and nothing else. It looks at what a client has done with plain HTTP requests.
//
//	make clients
//	make clients CLIENTS='-clients rclone,boto3 -protocols S3 -operations Put,List -schemes http'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
)

var errFailed = errors.New("not everything works")

func main() {
	if isLibrary() {
		runLibrary(os.Args[2], os.Args[3])
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

// isLibrary says whether this process is a script for a library.
func isLibrary() bool { return len(os.Args) == 4 && os.Args[1] == libraryArgument }

func start(ctx context.Context) error {
	root := flag.String("root", "../..", "directory of the tree")
	names := flag.String("clients", "", "test only clients whose names contain one of these words, separated by commas")
	titles := flag.String("operations", "", "test only operations whose titles contain one of these words")
	schemes := flag.String("schemes", "", "test only these schemes")
	only := flag.String("protocols", "", "test only these protocols")
	write := flag.Bool("write", false, "write the tables to docs/clients.md")
	flag.Parse()
	if *write && *names+*titles+*schemes+*only != "" {
		return errors.New("-write requires a run of everything: leave out -clients, -operations, -schemes and -protocols")
	}
	programs, err := filepath.Abs(filepath.Join(*root, "bin", "clients"))
	if err != nil {
		return err
	}
	r := run{
		programs: programs, wantClient: words(*names), wantOperation: words(*titles), wantScheme: exactly(*schemes), wantProtocol: exactly(*only),
		progress: os.Stderr,
	}
	t, err := r.do(ctx)
	if err != nil {
		return err
	}
	text := t.markdown()
	if *write {
		err = writeDocument(filepath.Join(*root, "docs", "clients.md"), text)
	} else {
		_, err = os.Stdout.WriteString(text)
	}
	if err == nil && t.failures > 0 {
		err = fmt.Errorf("%w: %d operations failed", errFailed, t.failures)
	}
	return err
}

// words returns a filter for texts that contain one of the words of a list, or any text for an empty list.
func words(list string) func(string) bool {
	return func(text string) bool {
		return list == "" || slices.ContainsFunc(strings.Split(list, ","), func(word string) bool { return strings.Contains(text, word) })
	}
}

func exactly(list string) func(string) bool {
	return func(text string) bool { return list == "" || slices.Contains(strings.Split(list, ","), text) }
}

// moduleVersion returns the version of a module that this program is built with.
func moduleVersion(path string) string {
	build, _ := debug.ReadBuildInfo()
	for _, m := range build.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "of unknown version"
}
