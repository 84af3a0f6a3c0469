// Package storeadmin is a client for the buckets of the emulator's store, with its
// root key.
package storeadmin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/signing"
)

// Client changes and lists the objects of one bucket with the root key of the store.
// It sends requests of the bucket's protocol, so that quotas, faults of the store seam, the journal
// and the oracles treat them like an application's requests.
type Client interface {
	Put(ctx context.Context, key string, content []byte) error
	// Delete returns an error that IsNoObject recognizes, or nil, if there is no object.
	Delete(ctx context.Context, key string) error
	// List returns the sizes of the objects by their keys.
	List(ctx context.Context) (map[string]int64, error)
}

// Account is the ID of the root account, and its owner.
const Account = backend.RootAccount

// Store is a store and the addresses of its services.
type Store struct {
	backend.Store

	Info func() description.Info
}

// Use runs a function with a client for a bucket of any protocol.
func (s Store) Use(ctx context.Context, bucket string, do func(Client) error) error {
	key, err := s.key()
	if err != nil {
		return err
	}
	info, transport := s.Info(), &http.Transport{}
	defer transport.CloseIdleConnections()
	if transport.TLSClientConfig, err = certs.ClientConfig(info.S3CertificateAuthority); err != nil {
		return err
	}
	b, err := s.GetBucket(ctx, bucket)
	if err != nil {
		return err
	}
	switch b.Protocol {
	case fakedriver.ProtocolAzure:
		azure, err := newAzureClient(info.AzureEndpoint, bucket, key, transport)
		if err != nil {
			return err
		}
		return do(azure)
	case fakedriver.ProtocolGCS: // its XML API is S3's
		return do(newS3Client(info.GCSEndpoint, signing.GoogleRegion, bucket, key, transport))
	default:
		return do(newS3Client(info.S3Endpoint, cmp.Or(b.Region, info.S3Region), bucket, key, transport))
	}
}

// key reads the root key.
func (s Store) key() (key fakedriver.Credentials, err error) {
	content, err := os.ReadFile(s.Info().S3RootKey)
	if err == nil {
		err = json.Unmarshal(content, &key)
	}
	if err != nil {
		return key, fmt.Errorf("read the store's root key: %w", err)
	}
	return key, nil
}

// IsNoObject reports whether an error of GCS or Azure means that there is no object to delete. S3
// has no such error.
func IsNoObject(err error) bool {
	failed, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains([]string{"NoSuchKey", "BlobNotFound"}, failed.ErrorCode())
}
