package datarecord

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// HasDriver reports whether fake drivers have used the data.
func (r Record) HasDriver() bool { return len(r.DriverNames) > 0 }

// WithAPI returns the options of a start with the version of the record.
func (r Record) WithAPI(start Record) (Record, error) {
	if start.API != "" && start.API != r.API {
		return start, fmt.Errorf("it has objects of %s, and not of %s; leave the version out, or choose another directory", r.API, start.API)
	}
	start.API = r.API
	return start, nil
}

// WithDriver returns the options of a start with the fake drivers of the record. The standard
// dialect of the version stays a default.
func (r Record) WithDriver(start Record, standard dialects.Dialect) (_ Record, err error) {
	if start.DriverNames, err = WithDriverNames(start.DriverNames, r.DriverNames); err != nil {
		return start, err
	}
	if start.Dialect != "" && start.Dialect != r.Dialect {
		return start, fmt.Errorf("its driver speaks %s, and not %s; leave the dialect out, or choose another directory",
			r.Dialect.Protocol(), start.Dialect.Protocol())
	}
	if r.Dialect != standard {
		start.Dialect = r.Dialect
	}
	return r.withServices(start)
}

// withServices returns the options of a start with the services of the record: there may be buckets of each protocol.
func (r Record) withServices(start Record) (Record, error) {
	start.TLS = start.TLS || r.TLS
	if start.Protocols == nil {
		start.Protocols = r.Protocols
	}
	for _, protocol := range r.Protocols {
		if !slices.Contains(start.Protocols, protocol) {
			return start, fmt.Errorf("its driver has protocol %s; add that to the protocols, or leave them out", protocol)
		}
	}
	return start, nil
}

// DriverNames returns the names of the fake drivers of a start.
func DriverNames(names []string) []string {
	if len(names) == 0 {
		return []string{fakedriver.DefaultName}
	}
	return slices.Clone(names)
}

// WithDriverNames returns the names of a start, completed from recorded ones. Names that are given
// must include those.
func WithDriverNames(names, recorded []string) ([]string, error) {
	if len(names) == 0 {
		if slices.Equal(recorded, DriverNames(nil)) { // the default, which rejects unknown parameters, stays
			return names, nil
		}
		return recorded, nil
	}
	for _, name := range recorded {
		if !slices.Contains(names, name) {
			return names, fmt.Errorf("it has objects of driver %s; add --driver-name %s, or name no driver", name, name)
		}
	}
	return names, nil
}
