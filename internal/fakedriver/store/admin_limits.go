package store

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// checkLimits returns an error of kind ErrLimit if there is no room for another
// account.
func (s *Store) checkLimits(spec fakedriver.AccountSpec, reach map[string]string) error {
	if spec.Admin {
		return nil
	}
	most := s.options.MaxAccounts
	if most > 0 && s.registry.countAccounts(func(p *principal) bool { return !p.account.Admin }) >= most {
		return fmt.Errorf("number of accounts in the store %w: there are %d", fakedriver.ErrLimit, most)
	}
	return s.checkBucketLimits(spec.ID, reach)
}

// checkBucketLimits is about the accounts that reach a bucket. Those whose access
// was to a bucket that had the same name before are not counted.
func (s *Store) checkBucketLimits(id string, reach map[string]string) error {
	for name, uid := range reach {
		b, _ := s.registry.bucket(name)
		others := s.registry.countAccounts(func(p *principal) bool { return p.account.ID != id && p.reach[name] == uid })
		if b.MaxAccounts > 0 && others >= b.MaxAccounts {
			return fmt.Errorf("number of accounts of bucket %q %w: there are %d", name, fakedriver.ErrLimit, others)
		}
	}
	return nil
}
