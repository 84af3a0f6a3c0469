package gcs

import (
	"regexp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// contextFilter is the form of the parameter filter: a context that an object must have, with a
// value or any, or with a minus must not have.
var contextFilter = regexp.MustCompile(`\A\s*(-|NOT\s+)?contexts\."([^"]+)"\s*(?::\s*\*|=\s*"([^"]+)")\s*\z`)

// parseFilter returns the versions that the parameter filter selects.
func parseFilter(filter string) (func(*objects.Version) bool, error) {
	found := contextFilter.FindStringSubmatch(filter)
	if found == nil {
		return nil, failure.ErrInvalid.With(`Invalid value for filter: it must be contexts."KEY"="VALUE" or contexts."KEY":*, ` +
			`or one of these with a minus before it`)
	}
	excludes, key, value := found[1] != "", found[2], found[3]
	return func(v *objects.Version) bool {
		o, err := objectOf("", v)
		if err != nil {
			return true // the listing reports the damage
		}
		context, has := o.Contexts.custom()[key]
		return (has && (value == "" || context.Value == value)) != excludes
	}, nil
}
