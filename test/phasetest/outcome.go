package phasetest

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Outcome is the result of a phase. The zero value is the outcome of a phase that found nothing to
// do.
type Outcome struct {
	// Writes are the writes of the phase and of the runner after it, as lines such as
	// "patch buckets photos (resourceVersion)": the preconditions of the write are in
	// brackets. The calls of a driver are among them in their order, as lines such as
	// "call DriverCreateBucket id-photos": see DialOption.
	Writes []string
	// Changes are the resulting differences on the API server, as lines such as "BucketClaim photos:
	// status.readyToUse=true".
	Changes []string
	// Conditions are the object's changed conditions, as lines such as "Provisioned=False
	// InvalidSpec".
	Conditions []string
	// Events are lines such as "Warning FailedCreateBucket of BucketClaim photos".
	Events []string
	// Err is the kind of the phase's error: a *reasons.Error's kind with the reason, as in
	// "Invalid BindingConflict"; the API server's, such as "Conflict"; "Unreadable" after FailReads;
	// "done" or "postponed".
	// If the phase has succeeded and the runner has not, it is the runner's.
	Err string
	// Requeue is whether the object is reconciled again, with back-off.
	Requeue bool
}

// Retried is the Outcome of a race that another writer has won: an error such as "Conflict",
// which is not the user's.
func Retried(err string, writes ...string) Outcome {
	return Outcome{Writes: writes, Err: err, Requeue: true}
}

// kinds are the names of the kinds of errors.
var kinds = map[reasons.Kind]string{
	reasons.KindWaiting: "Waiting", reasons.KindBlocked: "Blocked", reasons.KindInvalid: "Invalid", reasons.KindLost: "Lost",
	reasons.KindUnwritable: "Unwritable", reasons.KindFailed: "Failed", reasons.KindRejected: "Rejected",
}

func errorKind(err error) string {
	if found, ok := reasons.As(err); ok {
		return kinds[found.Kind] + " " + found.Reason
	}
	switch reason := apierrors.ReasonForError(err); {
	case err == nil:
		return ""
	case errors.Is(err, cosireconcile.ErrDone):
		return "done"
	case errors.Is(err, cosireconcile.ErrPostponed):
		return "postponed"
	case errors.Is(err, errUnreadable):
		return "Unreadable"
	case reason != metav1.StatusReasonUnknown:
		return string(reason)
	default:
		return err.Error()
	}
}

// changedConditions returns the conditions that differ from those before.
func changedConditions(before, after []metav1.Condition) []string {
	known := map[string]bool{}
	for i := range before {
		known[conditionLine(&before[i])] = true
	}
	var lines []string
	for i := range after {
		if line := conditionLine(&after[i]); !known[line] {
			lines = append(lines, line)
		}
	}
	return lines
}

func conditionLine(c *metav1.Condition) string {
	return fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)
}

// shorten replaces what differs between runs.
func (c *Case) shorten(lines ...string) []string {
	pairs := []string{"-" + c.Namespace, "", c.Namespace, "ns"}
	for _, object := range c.objects {
		pairs = append(pairs, string(object.GetUID()), "uid-"+strings.TrimSuffix(object.GetName(), "-"+c.Namespace))
	}
	replacer := strings.NewReplacer(pairs...)
	var short []string
	for _, line := range lines {
		short = append(short, replacer.Replace(line))
	}
	return short
}
