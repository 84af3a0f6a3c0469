// Package driveridentity asks drivers of any generation of COSI who they are.
package driveridentity

import (
	"errors"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// ErrVersion is wrapped by the error of a driver that speaks another version of the protocol than
// the kinds of the emulator.
var ErrVersion = errors.New("the driver speaks another version of COSI")

// Identity is a driver's answer about itself.
type Identity struct {
	Name string
	// Version is the protocol version in use; the driver also serves Other, if set.
	Version, Other objectstorage.Version
	// Dialect is the dialect of the version.
	Dialect dialects.Dialect
}

// Question is for the driver at an endpoint.
type Question struct {
	Endpoint string
	// Known is the dialect of the driver; empty means unknown.
	Known dialects.Dialect
	// ConnectTimeout is the time limit for the first answer, and RPCTimeout the deadline of a call.
	ConnectTimeout, RPCTimeout time.Duration
}

// options connect a sidecar to the driver.
func (q Question) options() cosisidecar.Options {
	return cosisidecar.Options{Endpoint: q.Endpoint, ConnectTimeout: q.ConnectTimeout, RPCTimeout: q.RPCTimeout}
}
