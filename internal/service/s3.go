package service

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// s3Service implements Service.
type s3Service struct{}

func (s3Service) Protocol() fakedriver.Protocol { return fakedriver.ProtocolS3 }

func (s3Service) Component() string { return vocabulary.Store }

func (s3Service) Open(o Options) (Server, error) {
	return s3.New(s3.Options{Options: o.Options, CORSOrigins: o.CORSOrigins, WebIdentity: o.WebIdentity, Issued: o.Issued})
}

func (s3Service) Region(s *store.Store) string { return s.Region() }

func (s3Service) Moved(api objectstorage.Version) string { return movedSecrets(api) }

func (s3Service) Endpoint(info *description.Info) *string { return &info.S3Endpoint }

func (s3Service) SavedPort(info *description.SnapshotInfo) *int { return &info.S3Port }

func (s3Service) Keys(ring *keyring.Ring) *keyring.Service { return &ring.S3 }

func (s3Service) Lead(driver *fakedriver.Options, endpoint string) { driver.Endpoint = endpoint }

// movedSecrets explains the effect of another port on existing Secrets. The sidecar of v1alpha1
// writes a Secret only once.
func movedSecrets(api objectstorage.Version) string {
	if api == objectstorage.V1alpha1 {
		return "Secrets that exist keep the old endpoint, as the sidecar of v1alpha1 writes them once; create their BucketAccesses again, " +
			"or make the port free and start again"
	}
	return "the sidecar writes the new endpoint into the Secrets, and applications must read them again"
}
