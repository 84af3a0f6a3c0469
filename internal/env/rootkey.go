package env

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// ErrNoStore is the error of an emulator that has no S3 store.
var ErrNoStore = errors.New("the emulator has no S3 store of its own")

// ForRootKey returns the variables with which S3 clients use the root key of an
// emulator's S3 store, under their names in access Secrets. The error is ErrNoStore if the emulator
// uses another driver.
func ForRootKey(info description.Info) ([]Variable, error) {
	if info.S3RootKey == "" {
		return nil, ErrNoStore
	}
	content, err := os.ReadFile(info.S3RootKey)
	if err != nil {
		return nil, fmt.Errorf("the S3 root key: %w", err)
	}
	var key fakedriver.Credentials
	if err := json.Unmarshal(content, &key); err != nil {
		return nil, fmt.Errorf("the S3 root key in %s: %w", info.S3RootKey, err)
	}
	return []Variable{
		{Name: v1alpha2.SecretKeyS3AccessKeyID, Value: key.AccessKeyID},
		{Name: v1alpha2.SecretKeyS3Region, Value: info.S3Region},
		{Name: v1alpha2.SecretKeyS3Endpoint, Value: info.S3Endpoint},
		{Name: "AWS_REGION", Value: info.S3Region},
		{Name: v1alpha2.SecretKeyS3AddressingStyle, Value: v1alpha2.S3AddressingStylePath},
		{Name: v1alpha2.SecretKeyS3SecretAccessKey, Value: key.SecretAccessKey},
	}, nil
}
