package emulator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Administrator is the ID of the administrator's account in the S3 store. Buckets that are created
// with its key belong to it.
const Administrator = backend.Administrator

// createAdministrator creates the key with which users change the store without COSI, for instance
// to create buckets that COSI imports. The call bypasses the seams. With a data directory, the key
// survives restarts.
func (e *Emulator) createAdministrator(ctx context.Context) error {
	key, err := e.store.PutAccount(ctx, fakedriver.AccountSpec{ID: Administrator, Owner: Administrator, Admin: true})
	if err != nil {
		return err
	}
	content, err := json.Marshal(key)
	if err != nil {
		return err
	}
	e.info.S3Administrator = filepath.Join(e.info.Dir, "s3-administrator.json")
	if err := os.WriteFile(e.info.S3Administrator, content, fileMode); err != nil {
		return fmt.Errorf("write the key of the S3 store's administrator: %w", err)
	}
	return nil
}
