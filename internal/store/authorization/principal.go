package authorization

import (
	"sync"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

// Principal is an account for requests. Once in a registry, only the registry changes it.
type Principal struct {
	Account fakedriver.Account
	Secret  string
	// Reach maps the granted buckets to their UIDs at the time of the grant.
	Reach map[string]string

	gate sync.RWMutex
	keys sigv4.Keys // of Secret
}

// Credentials returns the account's key.
func (p *Principal) Credentials() fakedriver.Credentials {
	return fakedriver.Credentials{AccessKeyID: p.Account.AccessKeyID, SecretAccessKey: p.Secret}
}
