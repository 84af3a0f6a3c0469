package explore

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/runbook"
)

// union returns the elements of both lists once, sorted.
func union(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// addReasons adds the reasons of the run without faults, and of earlier explorations.
func (e *explorer) addReasons() {
	e.report.Reasons = union(e.report.Reasons, union(run.Reasons(e.clean.Events), e.done.Reasons))
	own := e.options.Emulator.Implementations
	isOurs := own.Controller == nil && own.ControllerCommand == nil && own.Sidecar == nil && own.SidecarCommand == nil
	if isOurs && e.options.Emulator.API == objectstorage.V1alpha2 {
		e.report.OtherReasons = slices.DeleteFunc(runbook.Reasons(), func(reason string) bool {
			return slices.Contains(e.report.Reasons, reason)
		})
	}
}

// WriteReasons prints which reasons components gave in several explorations, and which in none.
func WriteReasons(w io.Writer, reports ...*Report) error {
	var all Report
	for _, r := range reports {
		all.Reasons = union(all.Reasons, r.Reasons)
		switch {
		case r.OtherReasons == nil: // such as a scenario for v1alpha1
		case all.OtherReasons == nil:
			all.OtherReasons = slices.Clone(r.OtherReasons)
		default:
			all.OtherReasons = slices.DeleteFunc(all.OtherReasons, func(reason string) bool { return !slices.Contains(r.OtherReasons, reason) })
		}
	}
	var b strings.Builder
	all.writeReasons(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeReasons prints which reasons components gave, and which they did not.
func (r *Report) writeReasons(b *strings.Builder) {
	if len(r.Reasons) == 0 {
		return
	}
	fmt.Fprintf(b, "%s of conditions and Events: %s\n", counted.Of(len(r.Reasons), "reason"), strings.Join(r.Reasons, ", "))
	if n := len(r.OtherReasons); n > 0 {
		fmt.Fprintf(b, "not reached: %s, for other scenarios: %s\n", counted.Of(n, "reason"), strings.Join(r.OtherReasons, ", "))
	}
}
