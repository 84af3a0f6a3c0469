package azure

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// leaseState is the lease of a blob. The zero value is none.
type leaseState struct {
	ID string `json:"id,omitempty"`
	// Duration is the validity of an acquired or renewed lease; negative: until it is released.
	Duration time.Duration `json:"duration,omitempty"`
	// Ends is the time at which it expires, or a break ends; zero: never.
	Ends time.Time `json:"ends,omitzero"`
	// Breaking means that a client has broken the lease.
	Breaking bool `json:"breaking,omitempty"`
}

// The states of a lease, in Azure's words.
const (
	available = "available"
	isLeased  = "leased"
	expired   = "expired"
	breaking  = "breaking"
	broken    = "broken"
)

const (
	minLease = 15 * time.Second
	maxLease = 60 * time.Second
)

func (l leaseState) state(now time.Time) string {
	ended := !l.Ends.IsZero() && !now.Before(l.Ends)
	switch {
	case l.ID == "":
		return available
	case l.Breaking && ended:
		return broken
	case l.Breaking:
		return breaking
	case ended:
		return expired
	default:
		return isLeased
	}
}

func (l leaseState) isActive(now time.Time) bool {
	state := l.state(now)
	return state == isLeased || state == breaking
}

// allows returns an error if an operation with a lease ID, or without, is not allowed.
func (l leaseState) allows(id string, now time.Time) error {
	active := l.isActive(now)
	switch {
	case active && id == "":
		return errLeaseMissing
	case active && !strings.EqualFold(id, l.ID):
		return errLeaseMismatch
	case active || id == "":
		return nil
	case strings.EqualFold(id, l.ID):
		return errLeaseLost
	default:
		return errLeaseNotPresent
	}
}

// lease acquires, renews, changes, releases or breaks a lease. It changes neither ETag nor time of
// the blob.
func (s *Service) lease(x *exchange) error {
	action := strings.ToLower(x.header("X-Ms-Lease-Action"))
	do, ok := leaseActions[action]
	switch {
	case action == "":
		return errMissingHeader.with("The header x-ms-lease-action is required.")
	case !ok:
		return errInvalidHeader.with("The value of x-ms-lease-action must be acquire, renew, change, release or break.")
	}
	remaining := time.Duration(-1)
	changed, err := s.change(x, false, func(current *blob) (*draft, error) {
		if err := x.checkConditions(current); err != nil {
			return nil, err
		}
		if current == nil {
			return nil, errNoBlob
		}
		d := current.draft()
		d.modified = current.Modified()
		var err error
		remaining, err = do.change(x, &d.Lease, s.now())
		return &d, err
	})
	if err != nil {
		return err
	}
	x.set("Etag", changed.etag())
	x.set("Last-Modified", changed.lastModified().Format(http.TimeFormat))
	if do.status == http.StatusAccepted {
		x.set("X-Ms-Lease-Time", strconv.Itoa(int(remaining.Round(time.Second)/time.Second)))
	} else {
		x.set(leaseHeader, changed.Lease.ID)
	}
	return x.begin(do.status)
}

type leaseAction struct {
	status int
	// change returns the remaining time of a broken lease.
	change func(x *exchange, l *leaseState, now time.Time) (time.Duration, error)
}

var leaseActions = map[string]leaseAction{
	"acquire": {http.StatusCreated, acquire},
	"renew":   {http.StatusOK, renew},
	"change":  {http.StatusOK, changeID},
	"release": {http.StatusOK, release},
	"break":   {http.StatusAccepted, breakLease},
}

func acquire(x *exchange, l *leaseState, now time.Time) (time.Duration, error) {
	duration, err := leaseDuration(x.header("X-Ms-Lease-Duration"))
	if err != nil {
		return 0, err
	}
	id, err := leaseID(cmp.Or(x.header("X-Ms-Proposed-Lease-Id"), requestID()))
	if err != nil {
		return 0, err
	}
	switch state := l.state(now); {
	case state == isLeased && l.ID != id:
		return 0, errLeasePresent
	case state == breaking && l.ID == id:
		return 0, errLeaseNoAcquiring
	case state == breaking:
		return 0, errLeasePresent
	}
	*l = leaseState{ID: id, Duration: duration}.begun(now)
	return 0, nil
}

// begun returns the lease with its end if it begins now.
func (l leaseState) begun(now time.Time) leaseState {
	l.Ends = time.Time{}
	if l.Duration > 0 {
		l.Ends = now.Add(l.Duration)
	}
	return l
}

func leaseDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, errMissingHeader.with("The header x-ms-lease-duration is required.")
	}
	seconds, err := strconv.Atoi(text)
	duration := time.Duration(seconds) * time.Second
	if err != nil || seconds != -1 && (duration < minLease || duration > maxLease) {
		return 0, errInvalidHeader.with("The value of x-ms-lease-duration must be -1, or 15 to 60.")
	}
	return duration, nil
}

func leaseID(text string) (string, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return "", errInvalidHeader.with("A lease ID must be a GUID.")
	}
	return id.String(), nil
}

// isOf returns an error unless the header has the ID of the lease.
func (l leaseState) isOf(x *exchange) error {
	given := x.header(leaseHeader)
	switch {
	case given == "":
		return errMissingHeader.with("The header x-ms-lease-id is required.")
	case l.ID == "":
		return errLeaseNone
	case !strings.EqualFold(given, l.ID):
		return errLeaseOtherID
	default:
		return nil
	}
}

func renew(x *exchange, l *leaseState, now time.Time) (time.Duration, error) {
	if err := l.isOf(x); err != nil {
		return 0, err
	}
	if l.Breaking {
		return 0, errLeaseNoRenewal
	}
	*l = l.begun(now)
	return 0, nil
}

func changeID(x *exchange, l *leaseState, now time.Time) (time.Duration, error) {
	id, err := leaseID(x.header("X-Ms-Proposed-Lease-Id"))
	if err != nil {
		return 0, err
	}
	switch state := l.state(now); {
	case state == breaking:
		return 0, errLeaseBreaking
	case state != isLeased:
		return 0, errLeaseNone
	case l.ID == id: // a repeated request
		return 0, nil
	}
	if err := l.isOf(x); err != nil {
		return 0, err
	}
	l.ID = id
	return 0, nil
}

func release(x *exchange, l *leaseState, _ time.Time) (time.Duration, error) {
	if err := l.isOf(x); err != nil {
		return 0, err
	}
	*l = leaseState{}
	return 0, nil
}

func breakLease(x *exchange, l *leaseState, now time.Time) (time.Duration, error) {
	state := l.state(now)
	if state == available {
		return 0, errLeaseNone
	}
	if state == broken || state == expired {
		l.Breaking, l.Ends = true, now
		return 0, nil
	}
	period := time.Duration(0)
	if !l.Ends.IsZero() {
		period = l.Ends.Sub(now)
	}
	if text := x.header("X-Ms-Lease-Break-Period"); text != "" {
		seconds, err := strconv.Atoi(text)
		given := time.Duration(seconds) * time.Second
		if err != nil || given < 0 || given > maxLease {
			return 0, errInvalidHeader.with("The value of x-ms-lease-break-period must be 0 to 60.")
		}
		if l.Ends.IsZero() || given < period {
			period = given
		}
	}
	l.Breaking, l.Ends = true, now.Add(period)
	return period, nil
}
