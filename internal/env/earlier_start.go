package env

import (
	"net/url"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/description"
)

// OfEarlierStart reports whether variables of an access have the address of a service of an earlier start of the emulator,
// which goes on with the data of that one. The sidecar writes the address of this start into the Secret when it has asked
// the driver again, and the access is ready meanwhile. The addresses of a user's own driver are not judged.
func OfEarlierStart(info description.Info, variables []Variable) bool {
	isContinued := info.DataDir != "" || info.Snapshot != ""
	if !isContinued || info.S3Endpoint == "" || info.DriverServiceAccount != "" {
		return false
	}
	var ports []string
	for _, endpoint := range []string{info.S3Endpoint, info.GCSEndpoint, info.AzureEndpoint} {
		if u, err := url.Parse(endpoint); err == nil {
			ports = append(ports, u.Port())
		}
	}
	return slices.ContainsFunc(variables, func(v Variable) bool {
		u, err := url.Parse(v.Value)
		return err == nil && (u.Scheme == "http" || u.Scheme == "https") && !slices.Contains(ports, u.Port())
	})
}
