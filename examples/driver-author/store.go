package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// state is the whole state of the driver, by ID.
type state struct {
	Buckets  map[string]bucket  `json:"buckets,omitempty"`
	Accounts map[string]account `json:"accounts,omitempty"`
}

type bucket struct {
	Parameters map[string]string `json:"parameters,omitempty"`
}

// account is an access. Modes are its permissions by bucket.
type account struct {
	Modes      map[string]modes  `json:"modes"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Key        string            `json:"key"`
}

// modes are the permissions for objects, their metadata, and the metadata of the bucket.
type modes [3]cosiv1alpha2.AccessMode_Mode

func (s state) mustHave(bucket string) error {
	if _, exists := s.Buckets[bucket]; !exists {
		return status.Errorf(codes.NotFound, "bucket %q not found", bucket)
	}
	return nil
}

// store keeps the state, in a file if it has one. A change is in the file before its call is
// answered, as a whole or not at all, so that it survives kill -9.
type store struct {
	file string

	mu    sync.Mutex
	state state
}

func (s *store) load() error {
	content, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(content, &s.state)
	}
	if err != nil {
		return fmt.Errorf("read the state: %w", err)
	}
	return nil
}

func (s *store) read() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.copy()
}

// change changes the state, unless how returns an error.
func (s *store) change(how func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.copy()
	if err := how(&changed); err != nil {
		return err
	}
	if err := s.save(changed); err != nil {
		return status.Errorf(codes.Unavailable, "write the state: %v", err)
	}
	s.state = changed
	return nil
}

func (s *store) copy() state {
	c := state{Buckets: map[string]bucket{}, Accounts: map[string]account{}}
	maps.Copy(c.Buckets, s.state.Buckets)
	maps.Copy(c.Accounts, s.state.Accounts)
	return c
}

func (s *store) save(changed state) error {
	if s.file == "" {
		return nil
	}
	content, err := json.Marshal(changed)
	if err != nil {
		return err
	}
	const onlyOwner = 0o600
	if err := os.WriteFile(s.file+".new", content, onlyOwner); err != nil {
		return err
	}
	return os.Rename(s.file+".new", s.file)
}
