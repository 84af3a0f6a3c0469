package memstore

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// replay applies the writes of a log to a snapshot, and returns their number. It ignores an incomplete last line,
// because no client has an answer to that write.
func (s *Snapshot) replay(name string) (writes int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close() //nolint:errcheck // only read from
	in := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return writes, nil
		case err != nil:
			return writes, err
		}
		if err := s.replayLine(line); err != nil {
			if _, err := in.Peek(1); errors.Is(err, io.EOF) {
				return writes, nil
			}
			return writes, fmt.Errorf("%s, line %d: %w: the file is damaged; restore a copy of it, "+
				"or remove this line and all later ones, which discards their writes", name, n, err)
		}
		writes++
	}
}

func (s *Snapshot) replayLine(line []byte) error {
	var entry logEntry
	in := json.NewDecoder(bytes.NewReader(line))
	in.DisallowUnknownFields()
	if err := in.Decode(&entry); err != nil {
		return err
	}
	switch {
	case entry.Key == "":
		return errors.New("the key is empty")
	case entry.Revision <= s.revision:
		return nil // the snapshot was saved, and the log not removed
	case entry.Revision != s.revision+1:
		return fmt.Errorf("revision %d follows revision %d", entry.Revision, s.revision)
	}
	s.revision = entry.Revision
	rec := &record{key: entry.Key, revision: entry.Revision, data: entry.Data}
	if entry.Data == nil {
		s.forget(s.records.Delete(rec))
		return nil
	}
	s.forget(s.records.ReplaceOrInsert(rec))
	if entry.TTL > 0 {
		s.expiry[rec] = time.Duration(entry.TTL) * time.Second //nolint:gosec // seconds of a lifetime
	}
	return nil
}

func (s *Snapshot) forget(rec *record, existed bool) {
	if existed {
		delete(s.expiry, rec)
	}
}
