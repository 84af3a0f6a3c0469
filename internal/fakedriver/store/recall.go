package store

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/objects"
)

// openVault opens what keeps everything.
func openVault(dir string) (blobstore.Vault, error) {
	if dir == "" {
		return blobstore.InMemory(), nil
	}
	if err := refuseOldFiles(dir); err != nil {
		return nil, err
	}
	return blobstore.Open(dir)
}

// refuseOldFiles looks for the files of a version that kept them differently: to
// begin with nothing beside them would look like a loss.
func refuseOldFiles(dir string) error {
	for _, name := range []string{"accounts.db", "objects.db"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s was written by an earlier version of cosi-emu, whose data cannot be read; "+
				"copy the objects out with that version, or use another directory", filepath.Join(dir, name))
		}
	}
	return nil
}

// recall reads what a previous store has left.
func (s *Store) recall() error {
	var err error
	s.contents, err = objects.New(objects.Options{Vault: s.vault, Rand: s.options.Rand, Now: s.options.Now})
	if err != nil {
		return err
	}
	if err := loadTable(s.vault, bucketsTable, s.registry.setBucket); err != nil {
		return err
	}
	if err := loadTable(s.vault, accountsTable, func(a accountRecord) { s.registry.setAccount(a.principal()) }); err != nil {
		return err
	}
	return s.vault.Sweep()
}
