// Package service has the registry of the protocols by which clients reach the store. Each has one
// service, which knows how it starts, and how drivers and clients find it.
package service

import (
	"context"
	"net"
	"net/http"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Service is the service of one protocol.
type Service interface {
	// Protocol is the protocol that clients use.
	Protocol() fakedriver.Protocol
	// Component is the name of the service in the journal.
	Component() string
	// Open creates the server in front of a store.
	Open(Options) (Server, error)
	// Region is the region in the signatures of clients.
	Region(*store.Store) string
	// Moved explains the effect of another port than a snapshot's.
	Moved(objectstorage.Version) string
	// Endpoint is the field with the URL of the service.
	Endpoint(*description.Info) *string
	// SavedPort is the field with the port of the service.
	SavedPort(*description.SnapshotInfo) *int
	// Keys is the service at which the keys of applications are tried.
	Keys(*keyring.Ring) *keyring.Service
	// Lead makes a driver lead its clients to an endpoint of the service.
	Lead(driver *fakedriver.Options, endpoint string)
}

// Options configure a server. The clock and the middleware are the seams.
type Options struct {
	pipeline.Options

	// CORSOrigins, WebIdentity and Issued are for S3; see its options.
	CORSOrigins []string
	WebIdentity func(ctx context.Context, token, role string) (accountID string, err error)
	Issued      func(*authorization.Session)
}

// Server answers the clients of a service. It keeps all its state in the store.
type Server interface {
	seam.Describer

	Serve(ctx context.Context, l net.Listener) error
	// Unwrapped answers requests past the seams.
	Unwrapped() http.Handler
}
