package store

// ledger keeps buckets and accounts across restarts. What its methods have
// accepted is durable when they return.
type ledger interface {
	load() ([]Bucket, []accountRecord, error)
	putBucket(Bucket) error
	deleteBucket(name string) error
	putAccount(accountRecord) error
	deleteAccount(id string) error
	close() error
}

// accountRecord is an account with all that must be kept of it.
type accountRecord struct {
	Account

	SecretAccessKey string            `json:"secretAccessKey"`
	Reach           map[string]string `json:"reach"`
}

func (p *principal) record() accountRecord {
	return accountRecord{Account: p.account, SecretAccessKey: p.secret, Reach: p.reach}
}

func (r accountRecord) principal() *principal {
	return &principal{account: r.Account, secret: r.SecretAccessKey, reach: r.Reach}
}

// noLedger forgets everything: the store is in memory.
type noLedger struct{}

func (noLedger) load() ([]Bucket, []accountRecord, error) { return nil, nil, nil }
func (noLedger) putBucket(Bucket) error                   { return nil }
func (noLedger) deleteBucket(string) error                { return nil }
func (noLedger) putAccount(accountRecord) error           { return nil }
func (noLedger) deleteAccount(string) error               { return nil }
func (noLedger) close() error                             { return nil }
