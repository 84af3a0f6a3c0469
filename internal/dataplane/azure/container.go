package azure

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
)

// containerProperties describes a container. It has no metadata, no lease and no public access:
// only the driver could change those.
func (s *Service) containerProperties(x *exchange) error {
	if x.lease != "" {
		return failure.ErrLeaseOfContainer
	}
	b, err := s.options.Store.GetBucket(x.R.Context(), x.target.container)
	if err != nil {
		return err
	}
	x.set("Etag", `"0x`+strconv.FormatInt(b.CreatedAt.UnixNano(), 16)+`"`)
	x.set("Last-Modified", b.CreatedAt.UTC().Format(http.TimeFormat))
	if x.operation.name == "GetContainerProperties" {
		x.set("X-Ms-Lease-State", available)
		x.set("X-Ms-Lease-Status", "unlocked")
		x.set("X-Ms-Has-Immutability-Policy", "false")
		x.set("X-Ms-Has-Legal-Hold", "false")
		x.set("X-Ms-Default-Encryption-Scope", "$account-encryption-key")
		x.set("X-Ms-Deny-Encryption-Scope-Override", "false")
	}
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// accountInformation describes the storage account, which azcopy asks for before it copies.
func (s *Service) accountInformation(x *exchange) error {
	x.set("X-Ms-Sku-Name", "Standard_LRS")
	x.set("X-Ms-Account-Kind", "StorageV2")
	x.set("X-Ms-Is-Hns-Enabled", "false")
	x.W.WriteHeader(http.StatusOK)
	return nil
}

func escaped(name string) string { return url.PathEscape(name) }
