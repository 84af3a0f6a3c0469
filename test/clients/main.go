// Command clients uses the services of the fake driver with the clients that people use, and makes the tables of
// docs/clients.md. It starts emulators in its own process, claims buckets through COSI, and gives each client the
// output of `cosi-emu env --access`, and nothing else. It checks a client's work with plain HTTP requests.
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
	"slices"
	"strings"
	"syscall"

	"github.com/cosi-emu/cosi-emu/internal/docpage"
)

func main() {
	runLibrary()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context) error {
	root := flag.String("root", "../..", "directory of the tree")
	names := flag.String("clients", "", "test only clients whose names contain one of these words, separated by commas")
	titles := flag.String("operations", "", "test only operations whose titles contain one of these words")
	schemes := flag.String("schemes", "", "test only these schemes")
	only := flag.String("protocols", "", "test only these protocols")
	lose := flag.Bool("lose", false, "repeat each operation, and lose the reply to another request of the client each time")
	write := flag.Bool("write", false, "write the tables to docs/clients.md")
	flag.Parse()
	if *write && (*lose || *names+*titles+*schemes+*only != "") {
		return errors.New("-write requires a run of everything: leave out -clients, -operations, -schemes, -protocols and -lose")
	}
	t, err := run{
		programs: filepath.Join(*root, "bin", "clients"), lose: *lose,
		wantClient: words(*names), wantOperation: words(*titles), wantScheme: exactly(*schemes), wantProtocol: exactly(*only),
	}.do(ctx)
	if err != nil {
		return err
	}
	if *write {
		page := filepath.Join(*root, "docs", "clients.md")
		err = docpage.ReplaceIn(page, "<!-- clients, made by make clients -->", "<!-- end of clients -->", "\n"+t.markdown())
	} else {
		_, err = os.Stdout.WriteString(t.markdown())
	}
	if err == nil && t.failures > 0 {
		err = fmt.Errorf("not everything works: %d operations failed", t.failures)
	}
	return err
}

// words returns a filter for texts that contain one of the words of a list, or any text for an empty list.
func words(list string) func(string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(strings.Split(list, ","), func(word string) bool { return strings.Contains(text, word) })
	}
}

// exactly returns a filter for the texts of a list, or any text for an empty list.
func exactly(list string) func(string) bool {
	return func(text string) bool { return list == "" || slices.Contains(strings.Split(list, ","), text) }
}
