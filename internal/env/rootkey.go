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
	key, err := RootKey(info)
	if err != nil {
		return nil, err
	}
	return s3Variables(info, key), nil
}

// RootKey reads the root key of an emulator. The error is ErrNoStore if the emulator uses another driver.
func RootKey(info description.Info) (key fakedriver.Credentials, err error) {
	if info.S3RootKey == "" {
		return key, ErrNoStore
	}
	content, err := os.ReadFile(info.S3RootKey)
	if err != nil {
		return key, fmt.Errorf("the S3 root key: %w", err)
	}
	if err := json.Unmarshal(content, &key); err != nil {
		return key, fmt.Errorf("the S3 root key in %s: %w", info.S3RootKey, err)
	}
	return key, nil
}

func s3Variables(info description.Info, key fakedriver.Credentials) []Variable {
	return []Variable{
		{Name: v1alpha2.SecretKeyS3AccessKeyID, Value: key.AccessKeyID},
		{Name: v1alpha2.SecretKeyS3Region, Value: info.S3Region},
		{Name: v1alpha2.SecretKeyS3Endpoint, Value: info.S3Endpoint},
		{Name: regionVariable, Value: info.S3Region},
		{Name: v1alpha2.SecretKeyS3AddressingStyle, Value: v1alpha2.S3AddressingStylePath},
		{Name: v1alpha2.SecretKeyS3SecretAccessKey, Value: key.SecretAccessKey},
	}
}
