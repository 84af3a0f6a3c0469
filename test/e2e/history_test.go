package e2e_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// history is everything that has happened in the emulator so far. It is read from
// the file, which forgets nothing.
func (cl *testCluster) history(tb testing.TB) []journal.Event {
	tb.Helper()
	file, err := os.Open(cl.emu.Info().Journal)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	decoder := json.NewDecoder(file)
	var events []journal.Event
	for {
		var e journal.Event
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the last line may be in the making
			return events
		}
		if err != nil {
			tb.Fatal(err)
		}
		events = append(events, e)
	}
}

// count is how many calls of a method a driver has had about a bucket or an
// account, by its ID or by the name from which the ID is made.
func count(d *drivertest.Driver, method, about string) int {
	n := 0
	for _, call := range d.Calls(method) {
		if slices.Contains(subjects(call.Request), about) {
			n++
		}
	}
	return n
}

// subjects are all the IDs and names that a call has in it.
func subjects(request proto.Message) []string {
	var found []string
	if r, ok := request.(interface{ GetBucketId() string }); ok {
		found = append(found, r.GetBucketId())
	}
	if r, ok := request.(interface{ GetAccountId() string }); ok {
		found = append(found, r.GetAccountId())
	}
	if r, ok := request.(interface{ GetName() string }); ok {
		found = append(found, r.GetName())
	}
	if r, ok := request.(interface{ GetAccountName() string }); ok {
		found = append(found, r.GetAccountName())
	}
	return found
}
