package s3

import (
	"cmp"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// DefaultHost is the base of virtual-host addresses. RFC 6761 reserves names below localhost for
// the machine itself.
const DefaultHost = "s3.localhost"

// hosts are the bases of virtual-host addresses, longest first, so that the longest match counts.
type hosts []string

var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// parseHosts returns an error of kind ErrInvalid for a base that is no host name.
func parseHosts(names []string) (hosts, error) {
	parsed := make(hosts, 0, len(names))
	for _, name := range names {
		base := strings.ToLower(strings.TrimSuffix(name, "."))
		if !hostName.MatchString(base) {
			return nil, fmt.Errorf("host %q %w: it must be a DNS name, without port", name, fakedriver.ErrInvalid)
		}
		parsed = append(parsed, base)
	}
	slices.SortStableFunc(parsed, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return parsed, nil
}

// bucket returns the bucket in a Host header: the part before a base. Bucket names may have dots.
func (h hosts) bucket(header string) (string, bool) {
	name, _, err := net.SplitHostPort(header)
	if err != nil {
		name = header
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	for _, base := range h {
		if name == base {
			return "", false // a shorter base must not match instead
		}
		if bucket, ok := strings.CutSuffix(name, "."+base); ok {
			return bucket, true
		}
	}
	return "", false
}
