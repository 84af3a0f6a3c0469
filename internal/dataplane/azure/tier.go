package azure

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
)

const (
	tierHeader  = "X-Ms-Access-Tier"
	hotTier     = "Hot"
	archiveTier = "Archive"
)

// tiers are the access tiers of block blobs. Other types have none in a general-purpose account.
var tiers = []string{hotTier, "Cool", "Cold", archiveTier}

// tier returns the tier that a request gives, or nothing.
func (x *exchange) tier(kind string) (string, error) {
	text := x.header(tierHeader)
	if text == "" {
		return "", nil
	}
	if kind != blockBlob {
		return "", failure.ErrTierOfType
	}
	i := slices.IndexFunc(tiers, func(tier string) bool { return strings.EqualFold(tier, text) })
	if i < 0 {
		return "", failure.ErrInvalidHeader.Because("The value of x-ms-access-tier must be Hot, Cool, Cold or Archive.")
	}
	return tiers[i], nil
}

// setTierOf gives a draft the tier of the request, if it has one.
func (s *Service) setTierOf(x *exchange, d *draft) error {
	tier, err := x.tier(d.Type)
	if tier != "" {
		d.Tier, d.TierChanged = tier, s.now()
	}
	return err
}

// tierOf returns the tier of a blob, which is Hot if no client has set one; only block blobs have
// tiers.
func tierOf(b *blob) (tier string, inferred bool) {
	switch {
	case b.Type != blockBlob:
		return "", false
	case b.Tier == "":
		return hotTier, true
	default:
		return b.Tier, false
	}
}

// checkOnline returns an error for an archived blob, which cannot be read and changed; b may be nil.
func (b *blob) checkOnline() error {
	if b != nil && b.Tier == archiveTier {
		return failure.ErrArchived
	}
	return nil
}

// setTier changes the tier of a blob, and neither its ETag nor its time. A rehydration takes no time,
// because it moves no data.
func (s *Service) setTier(x *exchange) error {
	switch priority := x.header("X-Ms-Rehydrate-Priority"); {
	case x.header(tierHeader) == "":
		return failure.ErrMissingHeader.Because("The header x-ms-access-tier is required.")
	case priority != "" && !strings.EqualFold(priority, "Standard") && !strings.EqualFold(priority, "High"):
		return failure.ErrInvalidHeader.Because("The value of x-ms-rehydrate-priority must be Standard or High.")
	}
	status := http.StatusOK
	_, err := s.amend(x, func(current *blob, d *draft) error {
		d.modified = current.Modified()
		if err := s.setTierOf(x, d); err != nil {
			return err
		}
		if current.Tier == archiveTier && d.Tier != archiveTier {
			status = http.StatusAccepted
		}
		return nil
	})
	if err != nil {
		return err
	}
	x.W.WriteHeader(status)
	return nil
}
