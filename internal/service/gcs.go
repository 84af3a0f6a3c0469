package service

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/signing"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// gcsService implements Service.
type gcsService struct{}

func (gcsService) Protocol() fakedriver.Protocol { return fakedriver.ProtocolGCS }

func (gcsService) Component() string { return vocabulary.GCS }

func (gcsService) Open(o Options) (Server, error) {
	o.Logger = o.Logger.WithName(vocabulary.GCS)
	return gcs.New(gcs.Options{Options: o.Options, CORSOrigins: o.CORSOrigins})
}

func (gcsService) Region(*store.Store) string { return signing.GoogleRegion }

// Moved differs from the other services, because COSI has no field for an endpoint of GCS.
func (gcsService) Moved(objectstorage.Version) string { return "clients of GCS must use the new port" }

func (gcsService) Endpoint(info *description.Info) *string { return &info.GCSEndpoint }

func (gcsService) SavedPort(info *description.SnapshotInfo) *int { return &info.GCSPort }

func (gcsService) Keys(ring *keyring.Ring) *keyring.Service { return &ring.GCS }

// Lead does nothing, because a driver of GCS reports no endpoint.
func (gcsService) Lead(*fakedriver.Options, string) {}
