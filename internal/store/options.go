package store

import (
	"cmp"
	"crypto/rand"
	"io"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Options configure a store. The zero value is a store in memory.
type Options struct {
	// Region is the region of the store, and of buckets without their own. Signatures must
	// be made for it. Default: fakedriver.DefaultRegion.
	Region string
	// Dir is the directory that stores buckets, objects and accounts. It is created if missing.
	// Empty: everything is in memory, and lost with Close.
	Dir string
	// MaxAccounts is the maximum number of accounts, without administrators' ones. Default: no
	// limit.
	MaxAccounts int
	// Rand is the source of secret access keys. Default: crypto/rand.
	Rand io.Reader
	// Now is the clock for the times of objects. Default: time.Now.
	Now func() time.Time
	// Logger logs damaged contents. Default: nothing is logged.
	Logger logr.Logger
}

func (o Options) withDefaults() Options {
	o.Region = cmp.Or(o.Region, fakedriver.DefaultRegion)
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	return o
}
