package fakedriver

import (
	"fmt"
	"strconv"
	"strings"
)

// RetentionMode is S3's retention mode.
type RetentionMode string

// The modes.
const (
	RetentionGovernance RetentionMode = "GOVERNANCE"
	// RetentionCompliance protects objects from all keys, except administrators' ones.
	RetentionCompliance RetentionMode = "COMPLIANCE"
)

// Limits of S3.
const (
	maxRetentionDays  = 36500
	maxRetentionYears = 100
)

// Retention is the protection period of new objects. It has either days or years; the zero value is
// no protection.
type Retention struct {
	Mode  RetentionMode `json:"mode,omitempty"`
	Days  int           `json:"days,omitempty"`
	Years int           `json:"years,omitempty"`
}

// Validate returns an error of kind [ErrInvalid] for a retention that S3 does not support.
func (r Retention) Validate() error {
	switch {
	case r == Retention{}:
		return nil
	case r.Mode != RetentionGovernance && r.Mode != RetentionCompliance:
		return fmt.Errorf("retention %w: its mode is %q, and must be %s or %s",
			ErrInvalid, string(r.Mode), RetentionGovernance, RetentionCompliance)
	case (r.Days == 0) == (r.Years == 0):
		return fmt.Errorf("retention %w: it must have either days or years", ErrInvalid)
	case r.Days < 0, r.Years < 0, r.Days > maxRetentionDays, r.Years > maxRetentionYears:
		return fmt.Errorf("retention %w: it must be of 1 to %d days, or of 1 to %d years", ErrInvalid, maxRetentionDays, maxRetentionYears)
	}
	return nil
}

// parseRetention reads a mode and a period, such as "GOVERNANCE 30d".
func parseRetention(value string) (Retention, error) {
	mode, period, _ := strings.Cut(value, " ")
	retention := Retention{Mode: RetentionMode(mode)}
	unit := map[string]*int{"d": &retention.Days, "y": &retention.Years}[period[max(0, len(period)-1):]]
	if unit == nil {
		return Retention{}, errNotAllowed
	}
	number, err := strconv.ParseInt(period[:len(period)-1], 10, 32)
	*unit = int(number)
	if err != nil || retention.Validate() != nil {
		return Retention{}, errNotAllowed
	}
	return retention, nil
}

func validateLock(s BucketSpec) error {
	if s.DefaultRetention != (Retention{}) && !s.ObjectLock {
		return fmt.Errorf("default retention %w: it requires object lock", ErrInvalid)
	}
	return s.DefaultRetention.Validate()
}
