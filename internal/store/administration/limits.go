package administration

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// checkLimits returns an error of kind ErrLimit if another account would exceed a limit.
func (a *Administrator) checkLimits(spec fakedriver.AccountSpec, reach map[string]string) error {
	if spec.Admin {
		return nil
	}
	most := a.options.MaxAccounts
	if most > 0 && a.options.Registry.CountAccounts(func(p *authorization.Principal) bool { return !p.Account.Admin }) >= most {
		return fmt.Errorf("number of accounts in the store %w: there are %d", fakedriver.ErrLimit, most)
	}
	return a.checkBucketLimits(spec.ID, reach)
}

// checkBucketLimits counts the accounts with access to each bucket. It ignores access to an earlier
// bucket of the same name.
func (a *Administrator) checkBucketLimits(id string, reach map[string]string) error {
	for name, uid := range reach {
		b, _ := a.options.Registry.Bucket(name)
		others := a.options.Registry.CountAccounts(func(p *authorization.Principal) bool { return p.Account.ID != id && p.Reach[name] == uid })
		if b.MaxAccounts > 0 && others >= b.MaxAccounts {
			return fmt.Errorf("number of accounts of bucket %q %w: there are %d", name, fakedriver.ErrLimit, others)
		}
	}
	return nil
}
