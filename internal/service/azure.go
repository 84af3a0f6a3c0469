package service

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// azureService implements Service.
type azureService struct{}

func (azureService) Protocol() fakedriver.Protocol { return fakedriver.ProtocolAzure }

func (azureService) Component() string { return vocabulary.Azure }

func (azureService) Open(o Options) (Server, error) {
	o.Logger = o.Logger.WithName(vocabulary.Azure)
	return azure.New(o.Options)
}

// Region is empty, because signatures of Azure have none.
func (azureService) Region(*store.Store) string { return "" }

func (azureService) Moved(api objectstorage.Version) string { return movedSecrets(api) }

func (azureService) Endpoint(info *description.Info) *string { return &info.AzureEndpoint }

func (azureService) SavedPort(info *description.SnapshotInfo) *int { return &info.AzurePort }

func (azureService) Keys(ring *keyring.Ring) *keyring.Service { return &ring.Azure }

func (azureService) Lead(driver *fakedriver.Options, endpoint string) {
	driver.AzureEndpoint = endpoint
}
