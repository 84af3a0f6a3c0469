// Package keyring has the keys of applications: those that the store has issued, and those that
// external drivers have granted. It tries them, so that the oracles find keys that open too much.
package keyring

import (
	"net/http"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Ring has the keys of one emulator, as far as they are remembered. The keys are in memory, and must
// not be written to a file. It is safe for concurrent use; the services are set before first use.
type Ring struct {
	// S3, GCS and Azure are the services of the fake driver at which keys are tried.
	S3, GCS, Azure Service

	journal *journal.Journal

	mu       sync.Mutex
	issued   []backend.IssuedKey  // oldest first
	granted  []backend.GrantedKey // oldest first
	notTried []*backend.KeyNotTriedError
}

// Service is a service of the fake driver; the zero Service does not exist.
type Service struct {
	// Handler answers requests past the seams.
	Handler http.Handler
	// Endpoint is the URL that clients use.
	Endpoint string
	// Region is the region in signatures. Azure has none.
	Region string
}

var _ backend.Keys = (*Ring)(nil)

// New returns an empty ring. The journal redacts the issued keys.
func New(j *journal.Journal) *Ring { return &Ring{journal: j} }
