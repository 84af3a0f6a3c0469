package session

import (
	"context"
	"errors"

	"github.com/cosi-emu/cosi-emu/internal/adminapi"
)

// backend reads the backend for other processes.
func (s *Session) backend(ctx context.Context) (content adminapi.Backend, err error) {
	store := s.emulator.Store()
	if store == nil {
		return content, errors.New("the backend belongs to a driver that is not the emulator's: " +
			"list its buckets with --list-command or --s3-endpoint")
	}
	if content.Buckets, err = store.Buckets(ctx); err != nil {
		return content, err
	}
	content.Accounts, err = store.Accounts(ctx)
	return content, err
}
