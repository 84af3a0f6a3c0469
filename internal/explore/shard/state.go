package shard

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/remote"
)

// State stores the completed cases, one JSON line each, after a header line.
type State struct {
	file   *os.File
	name   string         // of the file, or of the object in a bucket
	remote *remote.Object // nil: the file itself is the state
	saved  time.Time

	mu    sync.Mutex
	done  map[string]bool
	Found []cause.Result // results of earlier explorations with findings
	// Reasons are the reasons that components gave in earlier explorations.
	Reasons []string
	err     error
}

// saveInterval is the interval for writing a state to a bucket. If the machine is lost, the work
// since the last write is repeated.
const (
	saveInterval = 30 * time.Second
	saveTimeout  = 20 * time.Second
)

type stateHeader struct {
	Explored string `json:"explored"` // hash of the scenario
	Scenario string `json:"scenario,omitempty"`
	Shard    Shard  `json:"shard,omitzero"`
}

const stateMode = 0o600

// Open opens the file, or creates it, and reads the completed cases. A state in a
// bucket is worked on in a temporary file.
func Open(ctx context.Context, name string, text []byte, scenario string, shard Shard) (*State, error) {
	s := &State{name: name, done: map[string]bool{}}
	if name == "" {
		return s, nil
	}
	path := name
	if remote.IsURL(name) {
		var err error
		if path, err = s.fetch(ctx); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, stateMode)
	if err != nil {
		return nil, fmt.Errorf("open the state of the exploration: %w", err)
	}
	s.file = file
	sum := sha256.Sum256(text)
	header := stateHeader{Explored: hex.EncodeToString(sum[:]), Scenario: scenario, Shard: shard}
	if err := s.read(header); err != nil {
		return nil, errors.Join(err, file.Close(), s.removeCopy())
	}
	return s, nil
}

// fetch returns a new file with the content of a state in a bucket, which need not exist yet.
func (s *State) fetch(ctx context.Context) (path string, err error) {
	if s.remote, err = remote.Open(s.name, os.Getenv); err != nil {
		return "", fmt.Errorf("%w: %w", plan.ErrOptions, err)
	}
	data, err := s.remote.Read(ctx)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	file, err := os.CreateTemp("", "cosi-emu-*.state")
	if err != nil {
		return "", fmt.Errorf("create a copy of %s: %w", s.name, err)
	}
	_, err = file.Write(data)
	s.saved = time.Now()
	return file.Name(), errors.Join(err, file.Close())
}

// save writes the state to its bucket, also after the context has ended.
func (s *State) save(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	data, err := os.ReadFile(s.file.Name())
	if err != nil {
		return fmt.Errorf("read the copy of %s: %w", s.name, err)
	}
	s.saved = time.Now()
	return s.remote.Write(ctx, data)
}

func (s *State) removeCopy() error {
	if s.remote == nil {
		return nil
	}
	return os.Remove(s.file.Name())
}

// read reads the completed cases. It ignores a truncated last line.
func (s *State) read(want stateHeader) error {
	data, err := io.ReadAll(s.file)
	if err != nil {
		return fmt.Errorf("read the state of the exploration: %w", err)
	}
	if len(data) == 0 {
		return s.write(want)
	}
	header, results, err := readState(s.name, data)
	switch {
	case err != nil:
		return err
	case header.Explored != want.Explored:
		return fmt.Errorf("%w: %s belongs to another scenario, or to an older version of this one; remove it, or choose another file",
			plan.ErrOptions, s.name)
	case header.Shard != want.Shard:
		return fmt.Errorf("%w: %s belongs to shard %q, and this is shard %q; choose another file, or merge the shards",
			plan.ErrOptions, s.name, header.Shard, want.Shard)
	}
	for _, result := range results {
		s.done[result.Case.String()] = true
		s.Reasons = append(s.Reasons, result.Reasons...)
		if len(result.Findings) > 0 {
			s.Found = append(s.Found, result)
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		_, err = s.file.Write([]byte{'\n'})
	}
	return err
}

// readState parses a state. It ignores a truncated last line.
func readState(path string, data []byte) (header stateHeader, results []cause.Result, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &header) != nil || header.Explored == "" {
		return header, nil, fmt.Errorf("%w: %s is not the state of an exploration", plan.ErrOptions, path)
	}
	for lines.Scan() {
		var result cause.Result
		if json.Unmarshal(lines.Bytes(), &result) == nil {
			results = append(results, result)
		}
	}
	return header, results, nil
}

// Has reports whether a case is completed.
func (s *State) Has(c plan.Case) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[c.String()]
}

// Add stores the result of a completed case.
func (s *State) Add(ctx context.Context, result cause.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[result.Case.String()] = true
	if s.file != nil && s.err == nil {
		s.err = s.write(result)
	}
	if s.remote != nil && s.err == nil && time.Since(s.saved) > saveInterval {
		s.err = s.save(ctx)
	}
}

func (s *State) write(value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the state of the exploration: %w", err)
	}
	return nil
}

// Close closes the file, and returns the first error of a write.
func (s *State) Close(ctx context.Context) error {
	if s.file == nil {
		return nil
	}
	errs := []error{s.err}
	if s.remote != nil {
		errs = append(errs, s.save(ctx), s.removeCopy())
	}
	return errors.Join(append(errs, s.file.Close())...)
}
