package explore

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// stateFile stores the completed cases, one JSON line each, after a header line.
type stateFile struct {
	file *os.File // nil: nothing is stored

	mu   sync.Mutex
	done map[string]bool
	old  []caseResult // results of earlier explorations with findings
	err  error
}

// stateHeader is the first line.
type stateHeader struct {
	Explored string `json:"explored"` // hash of the scenario
	Scenario string `json:"scenario,omitempty"`
	Shard    Shard  `json:"shard,omitzero"`
}

const stateMode = 0o600

// openState opens the file, or creates it, and reads the completed cases.
func openState(opts Options) (*stateFile, error) {
	s := &stateFile{done: map[string]bool{}}
	if opts.State == "" {
		return s, nil
	}
	file, err := os.OpenFile(opts.State, os.O_RDWR|os.O_CREATE|os.O_APPEND, stateMode)
	if err != nil {
		return nil, fmt.Errorf("open the state of the exploration: %w", err)
	}
	s.file = file
	sum := sha256.Sum256(opts.Text)
	header := stateHeader{Explored: hex.EncodeToString(sum[:]), Scenario: opts.scenario, Shard: opts.Shard}
	if err := s.read(header); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// read reads the completed cases. It ignores a truncated last line.
func (s *stateFile) read(want stateHeader) error {
	data, err := io.ReadAll(s.file)
	if err != nil {
		return fmt.Errorf("read the state of the exploration: %w", err)
	}
	if len(data) == 0 {
		return s.write(want)
	}
	header, results, err := readState(s.file.Name(), data)
	switch {
	case err != nil:
		return err
	case header.Explored != want.Explored:
		return fmt.Errorf("%w: %s belongs to another scenario, or to an older version of this one; remove it, or choose another file",
			ErrOptions, s.file.Name())
	case header.Shard != want.Shard:
		return fmt.Errorf("%w: %s belongs to shard %q, and this is shard %q; choose another file, or merge the shards",
			ErrOptions, s.file.Name(), header.Shard, want.Shard)
	}
	for _, result := range results {
		s.done[result.Case.String()] = true
		if len(result.Findings) > 0 {
			s.old = append(s.old, result)
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		_, err = s.file.Write([]byte{'\n'})
	}
	return err
}

// readState returns what a state has. It ignores a truncated last line.
func readState(path string, data []byte) (header stateHeader, results []caseResult, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &header) != nil || header.Explored == "" {
		return header, nil, fmt.Errorf("%w: %s is not the state of an exploration", ErrOptions, path)
	}
	for lines.Scan() {
		var result caseResult
		if json.Unmarshal(lines.Bytes(), &result) == nil {
			results = append(results, result)
		}
	}
	return header, results, nil
}

func (s *stateFile) has(c Case) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[c.String()]
}

func (s *stateFile) add(result caseResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[result.Case.String()] = true
	if s.file != nil && s.err == nil {
		s.err = s.write(result)
	}
}

func (s *stateFile) write(value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the state of the exploration: %w", err)
	}
	return nil
}

// close closes the file, and returns the first error of a write.
func (s *stateFile) close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.err, s.file.Close())
}
