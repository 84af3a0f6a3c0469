package suite

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// readInterval is how often the journal is looked at by those who wait for what
// comes. They do not measure meanwhile.
const readInterval = 2 * time.Millisecond

// reader reads the file of a journal as it grows.
type reader struct {
	path   string
	offset int64
}

// next returns the events that have been added since the last call.
func (r *reader) next() (events []journal.Event, err error) {
	file, err := os.Open(r.path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	if _, err := file.Seek(r.offset, io.SeekStart); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil // the next read returns the partial last line
		}
		if err != nil {
			return nil, err
		}
		r.offset += int64(len(line))
		var event journal.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("the journal %s: %w", r.path, err)
		}
		events = append(events, event)
	}
}

// until collects the events up to one of which the condition holds.
func (r *reader) until(ctx context.Context, holds func(journal.Event) bool) (events []journal.Event, err error) {
	err = wait.PollUntilContextCancel(ctx, readInterval, true, func(context.Context) (bool, error) {
		added, err := r.next()
		events = append(events, added...)
		return slices.ContainsFunc(added, holds), err
	})
	return events, err
}
