package azure

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

func (s *Service) authenticate(x *exchange) (err error) {
	if x.header("Authorization") != "" {
		return failure.ErrAuthentication.With("Server failed to authenticate the request. cosi-emu supports the shared access " +
			"signature of the Secret, in the URL, and no Authorization header.")
	}
	x.Caller, err = s.signer(x.R, x.target, x.Query)
	return err
}

func (s *Service) signer(r *http.Request, t target, query url.Values) (*authorization.Caller, error) {
	switch {
	case !query.Has("sig"):
		return nil, failure.ErrAnonymous
	case t.level == levelAccount:
		return nil, failure.ErrAuthentication.With("Server failed to authenticate the request. The signature of the Secret is for " +
			"one container, and not for the account. Send batches and searches to the container; only the driver may list containers.")
	}
	for _, name := range sas.Parameters() {
		if len(query[name]) > 1 {
			return nil, failure.ErrAuthentication
		}
	}
	caller, err := s.options.Store.Caller(query.Get("si"))
	known := err == nil
	secret := "unknown"
	if known {
		secret = caller.Secret()
	} else if failure.Of(err) == failure.ErrBusy {
		return nil, err
	}
	if !sas.Verify(t.account, t.container, query, secret) || !known || secret == "" || caller.Session() != nil {
		return nil, failure.ErrAuthentication.With("Server failed to authenticate the request. The signature is wrong, is for " +
			"another container, or its access has been revoked.")
	}
	return caller, s.checkSignature(r, query)
}

// checkSignature checks a valid signature's time, protocol and address.
func (s *Service) checkSignature(r *http.Request, query url.Values) error {
	now := s.options.Now()
	start, err := timeOf(query.Get("st"))
	if err != nil || query.Get("st") != "" && now.Before(start) {
		return failure.ErrAuthentication.With("Server failed to authenticate the request. Signature not valid in the specified time frame.")
	}
	end, err := timeOf(query.Get("se"))
	if err != nil || query.Get("se") != "" && !now.Before(end) {
		return failure.ErrAuthentication.With("Server failed to authenticate the request. Signature not valid in the specified time frame.")
	}
	if protocols := query.Get("spr"); protocols != "" && !slices.Contains(strings.Split(protocols, ","), pipeline.Scheme(r)) {
		return failure.ErrProtocol
	}
	if addresses := query.Get("sip"); addresses != "" && !isWithin(addresses, r.RemoteAddr) {
		return failure.ErrSourceIP
	}
	return nil
}

// timeOf reads a time in one of the forms of ISO 8601 that signatures may have; zero without one.
func timeOf(text string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z", time.DateOnly} {
		if at, err = time.Parse(layout, text); err == nil {
			break
		}
	}
	return at, err
}

// isWithin reports whether a client has an address, or one of a range FIRST-LAST.
func isWithin(addresses, client string) bool {
	host, _, err := net.SplitHostPort(client)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	first, last, isRange := strings.Cut(addresses, "-")
	if !isRange {
		last = first
	}
	from, err := netip.ParseAddr(first)
	to, err2 := netip.ParseAddr(last)
	address = address.Unmap()
	return err == nil && err2 == nil && from.Compare(address) <= 0 && address.Compare(to) <= 0
}
