package azure

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
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
		return failure.ErrLeaseMissing
	case active && id != l.ID:
		return failure.ErrLeaseMismatch
	case active || id == "":
		return nil
	case id == l.ID:
		return failure.ErrLeaseLost
	default:
		return failure.ErrLeaseNotPresent
	}
}

// lease acquires, renews, changes, releases or breaks a lease. It changes neither ETag nor time of
// the blob.
func (s *Service) lease(x *exchange) error {
	action := strings.ToLower(x.header("X-Ms-Lease-Action"))
	do, ok := leaseActions[action]
	switch {
	case action == "":
		return failure.ErrMissingHeader.Because("The header x-ms-lease-action is required.")
	case !ok:
		return failure.ErrInvalidHeader.Because("The value of x-ms-lease-action must be acquire, renew, change, release or break.")
	}
	remaining := time.Duration(-1)
	changed, err := s.change(x, false, func(current *blob) (*draft, error) {
		if err := x.checkConditions(current); err != nil {
			return nil, err
		}
		if current == nil {
			return nil, failure.ErrNoBlob
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
	x.W.WriteHeader(do.status)
	return nil
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
	id, err := leaseID(x.header("X-Ms-Proposed-Lease-Id"))
	if err != nil {
		return 0, err
	}
	id = cmp.Or(id, requestID())
	switch state := l.state(now); {
	case state == isLeased && l.ID != id:
		return 0, failure.ErrLeasePresent
	case state == breaking && l.ID == id:
		return 0, failure.ErrLeaseNoAcquiring
	case state == breaking:
		return 0, failure.ErrLeasePresent
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
		return 0, failure.ErrMissingHeader.Because("The header x-ms-lease-duration is required.")
	}
	seconds, err := strconv.Atoi(text)
	duration := time.Duration(seconds) * time.Second
	if err != nil || seconds != -1 && (duration < minLease || duration > maxLease) {
		return 0, failure.ErrInvalidHeader.Because("The value of x-ms-lease-duration must be -1, or 15 to 60.")
	}
	return duration, nil
}

var (
	// digits are the 32 digits of a GUID, with hyphens or without.
	digits = regexp.MustCompile(`^[0-9a-f]{8}(?:[0-9a-f]{24}|(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	// numbers are a GUID as a list of hexadecimal numbers, of which leading zeros may be missing.
	numbers = regexp.MustCompile(`^{0x([0-9a-f]{1,8}),0x([0-9a-f]{1,4}),0x([0-9a-f]{1,4}),{` +
		`0x([0-9a-f]{1,2})` + strings.Repeat(`,0x([0-9a-f]{1,2})`, 7) + `}}$`)
)

// leaseID returns the ID of a lease in one form. The text has any form of a GUID: digits, digits with
// hyphens, these in braces or parentheses, or a list of numbers. No text has an empty ID.
func leaseID(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	text = strings.ToLower(strings.TrimSpace(text))
	if parts := numbers.FindStringSubmatch(strings.ReplaceAll(text, " ", "")); parts != nil {
		text = ""
		for i, width := range []int{8, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2} {
			text += strings.Repeat("0", width-len(parts[i+1])) + parts[i+1]
		}
	}
	for _, enclosing := range []string{"{}", "()"} {
		inner, opened := strings.CutPrefix(text, enclosing[:1])
		inner, closed := strings.CutSuffix(inner, enclosing[1:])
		if opened && closed && strings.Contains(inner, "-") {
			text = inner
		}
	}
	if !digits.MatchString(text) {
		return "", failure.ErrInvalidHeader.Because("A lease ID must be a GUID.")
	}
	id, err := uuid.Parse(text)
	return id.String(), err
}

// isOf returns an error unless the header has the ID of the lease.
func (l leaseState) isOf(x *exchange) error {
	switch {
	case x.lease == "":
		return failure.ErrMissingHeader.Because("The header x-ms-lease-id is required.")
	case x.lease != l.ID:
		return failure.ErrLeaseOtherID
	default:
		return nil
	}
}

func renew(x *exchange, l *leaseState, now time.Time) (time.Duration, error) {
	if err := l.isOf(x); err != nil {
		return 0, err
	}
	if l.Breaking {
		return 0, failure.ErrLeaseNoRenewal
	}
	*l = l.begun(now)
	return 0, nil
}

func changeID(x *exchange, l *leaseState, now time.Time) (time.Duration, error) {
	id, err := leaseID(x.header("X-Ms-Proposed-Lease-Id"))
	switch state := l.state(now); {
	case err != nil:
		return 0, err
	case id == "":
		return 0, failure.ErrMissingHeader.Because("The header x-ms-proposed-lease-id is required.")
	case x.lease == "":
		return 0, failure.ErrMissingHeader.Because("The header x-ms-lease-id is required.")
	case state != isLeased && state != breaking:
		return 0, failure.ErrLeaseNone
	case state == isLeased && l.ID == id: // a repeated request
		return 0, nil
	}
	if err := l.isOf(x); err != nil {
		return 0, err
	}
	if l.Breaking {
		return 0, failure.ErrLeaseBreaking
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
		return 0, failure.ErrLeaseNone
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
			return 0, failure.ErrInvalidHeader.Because("The value of x-ms-lease-break-period must be 0 to 60.")
		}
		if l.Ends.IsZero() || given < period {
			period = given
		}
	}
	l.Breaking, l.Ends = true, now.Add(period)
	return period, nil
}
