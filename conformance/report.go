package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// The states of a check.
const (
	Pass         = checks.Pass
	Fail         = checks.Fail
	NotSupported = checks.NotSupported
	Skipped      = checks.Skipped
	NotReached   = checks.NotReached
	NotProved    = checks.NotProved
)

// The verdicts about a profile.
const (
	// Conformant: every MUST check that applies passed, and none was skipped.
	Conformant = "conformant"
	// Unproved: no MUST check failed, and one succeeded without a proof.
	Unproved = checks.NotProved
	// Partial: no MUST check failed, but some were skipped or not reached.
	Partial = "partial"
	// NotConformant: a MUST check failed.
	NotConformant = "not conformant"
	// Unsupported: no check of the profile applies to the driver or its parameters.
	Unsupported = checks.NotSupported
	// NotTested: no check of the profile was reached.
	NotTested = "not tested"
)

// Check describes a check.
type Check struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Profile string `json:"profile"`
	// Level is MUST or SHOULD.
	Level string `json:"level"`
	// Sentence quotes the requirement of the check; an ellipsis replaces omitted words. Source is the
	// section that has it, and Link its address.
	Sentence string `json:"sentence"`
	Source   string `json:"source"`
	Link     string `json:"link"`
	// Classes are the known failures of drivers that the check catches.
	Classes []string `json:"classes,omitempty"`
	// Generation is set if the check is about one generation only, and Dialects are those that it is
	// about, if these are not all.
	Generation string             `json:"generation,omitempty"`
	Dialects   []dialects.Dialect `json:"dialects,omitempty"`
}

// Failure explains a failed check.
type Failure struct {
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Why      string `json:"why"`
	// Rerun is the command that runs just this check.
	Rerun string `json:"rerun"`
}

// Result is how a check ended.
type Result struct {
	Check Check  `json:"check"`
	State string `json:"state"`
	// Reason is why the check was not decided.
	Reason  string   `json:"reason,omitempty"`
	Failure *Failure `json:"failure,omitempty"`
	// Exchanges are the calls of a check that did not pass.
	Exchanges []Exchange `json:"exchanges,omitempty"`
	// Leftovers are buckets and accesses that the suite could not remove.
	Leftovers []string      `json:"leftovers,omitempty"`
	Started   time.Time     `json:"started"`
	Took      time.Duration `json:"took"`

	events []journal.Event // for the timeline
}

// Verdict is the verdict about a profile.
type Verdict struct {
	Profile string `json:"profile"`
	Verdict string `json:"verdict"`
	// Counts are the numbers of checks by state.
	Counts map[string]int `json:"counts"`
}

// Report is how a run ended.
type Report struct {
	Driver     string `json:"driver"`
	Generation string `json:"generation"`
	// Dialect is the protocol of the driver, by whose text it is judged. Differences are those from
	// the KEP.
	Dialect      dialects.Dialect      `json:"dialect"`
	Differences  []dialects.Difference `json:"differences,omitempty"`
	Protocols    []string              `json:"protocols,omitempty"`
	SpecVersions []string              `json:"specVersions"`
	// Parameters are the author's parameters, without secrets. Their implementation describes the
	// driver.
	Parameters Parameters `json:"parameters"`
	// Profiles, Only and Skip are the selection; none means the default.
	Profiles []string `json:"profiles,omitempty"`
	Only     []string `json:"only,omitempty"`
	Skip     []string `json:"skip,omitempty"`
	// Unsupported are the reasons for which checks do not apply, each once.
	Unsupported []string `json:"unsupported,omitempty"`
	ToolVersion string   `json:"toolVersion,omitempty"`
	Endpoint    string   `json:"endpoint,omitempty"`
	// Command is the command line of a driver that the suite has started.
	Command  string    `json:"command,omitempty"`
	Seed     string    `json:"seed"`
	Verdicts []Verdict `json:"verdicts"`
	// Problem is why the driver could not be tested, or not to the end.
	Problem string `json:"problem,omitempty"`
	// Slow describes the limits for a driver that does not answer within the default ones.
	Slow string `json:"slow,omitempty"`
	// FixFirst are the IDs of at most three failed checks, the most important first.
	FixFirst []string      `json:"fixFirst,omitempty"`
	Results  []Result      `json:"results"`
	Started  time.Time     `json:"started"`
	Took     time.Duration `json:"took"`
}

// describe returns a check with the rule that it has in a dialect.
func describe(c *checks.Check, dialect dialects.Dialect) Check {
	rule := c.RuleFor(dialect)
	described := Check{
		ID: c.ID, Title: c.Title, Profile: c.Profile, Level: c.Level, Sentence: rule.Sentence, Source: rule.Source.Name,
		Link: rule.Link(), Classes: c.Classes,
	}
	about := c.Dialects.Dialects()
	if oldest, newest := about[0].Version(), about[len(about)-1].Version(); oldest == newest {
		described.Generation = oldest
	}
	if len(about) < len(dialects.All()) {
		described.Dialects = about
	}
	return described
}

func newResult(check *checks.Check, dialect dialects.Dialect, r checks.Result) Result {
	described := describe(check, dialect)
	result := Result{
		Check: described, State: r.State, Reason: r.Reason, Exchanges: r.Exchanges, Leftovers: r.Leftovers, Took: r.Took, events: r.Events,
	}
	if r.State == checks.Fail {
		result.Failure = &Failure{Expected: r.Expected, Got: r.Got, Why: fmt.Sprintf("%q (%s)", described.Sentence, described.Source)}
	}
	return result
}

// shownExchanges is how many calls an explanation has: the last ones.
const shownExchanges = 8

// Explain returns a result in words, of several lines after a failure.
func (r Result) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s): %s", r.Check.ID, r.Check.Title, r.Check.Level, r.State)
	if r.Reason != "" {
		fmt.Fprintf(&b, ": %s", r.Reason)
	}
	if f := r.Failure; f != nil {
		fmt.Fprintf(&b, "\n  expected: %s\n  got:      %s\n  why:      %s\n  see:      %s\n  rerun:    %s",
			f.Expected, f.Got, f.Why, r.Check.Link, f.Rerun)
		hidden := max(0, len(r.Exchanges)-shownExchanges)
		if hidden > 0 {
			fmt.Fprintf(&b, "\n  (calls before these, in the report: %d)", hidden)
		}
		for _, e := range r.Exchanges[hidden:] {
			fmt.Fprintf(&b, "\n  %s %s\n    %s %s %s", e.Method, e.Request, e.Code, e.Response, e.Message)
		}
	}
	return b.String()
}

// Brief renders a result in one line, for a terminal. Explain adds the reason and the calls.
func (r Result) Brief() string {
	return fmt.Sprintf("%s (%s): %s: %s", r.name(), r.Check.Level, r.State, strings.Join(strings.Fields(r.summary()), " "))
}

// basic are the checks of what nothing works without.
var basic = []string{"ID-01", "CB-01", "GR-01", "SA-01", "AZ-20", "GC-20", "DB-01", "RV-01"}

// gravest are the classes of failures that come first among those to fix. First, a call cannot be
// repeated, which it always is sometime. Then data or credentials reach others, or are left.
var gravest = [][]string{
	{"D01", "D03", "D04", "D06"},
	{"D15", "D16", "D17", "D18", "D21", "D05", "D11", "D14"},
}

func (r *Report) judge(config Config) {
	for _, profile := range checks.Profiles() {
		if slices.ContainsFunc(r.Results, func(result Result) bool { return result.Check.Profile == profile }) || config.tests(profile) {
			r.Verdicts = append(r.Verdicts, r.verdict(profile, len(config.Only) > 0))
		}
	}
	var failed []Result
	for _, result := range r.Results {
		if result.State == NotSupported && !slices.Contains(r.Unsupported, result.Reason) {
			r.Unsupported = append(r.Unsupported, result.Reason)
		}
		if result.State == Fail {
			failed = append(failed, result)
		}
	}
	slices.SortStableFunc(failed, func(a, b Result) int { return cmp.Compare(rank(a.Check), rank(b.Check)) })
	r.FixFirst = first(failed)
}

// calls are the checks of a repeated call, and those of the same call after an interruption or beside others, which
// fail with them.
var calls = []struct{ causes, consequences []string }{
	{[]string{"CB-04", "CB-05"}, []string{"CC-01", "CC-02", "LF-01", "LF-10", "CS-06", "CS-07", "CS-10", "CS-12", "BE-20"}},
	{[]string{"DB-03"}, []string{"CC-03", "LF-03", "CS-13"}},
	{[]string{"GR-06", "GR-07"}, []string{"CC-04", "LF-02", "LF-11", "CS-11", "CS-14", "CS-15", "BE-21", "BE-22", "GR-38", "SV-02"}},
	{[]string{"RV-02"}, []string{"CC-08", "LF-04", "CS-16", "CS-17", "BE-23", "SV-06"}},
}

// explained returns whether a failure follows from another.
func explained(id string, failed []Result) bool {
	for _, call := range calls {
		if slices.Contains(call.consequences, id) &&
			slices.ContainsFunc(failed, func(result Result) bool { return slices.Contains(call.causes, result.Check.ID) }) {
			return true
		}
	}
	return false
}

// first returns the IDs of at most three checks. Two of one class often have one cause.
func first(failed []Result) []string {
	const most = 3
	var ids, classes []string
	for _, result := range failed {
		named := slices.ContainsFunc(result.Check.Classes, func(class string) bool { return slices.Contains(classes, class) })
		if named || explained(result.Check.ID, failed) {
			continue
		}
		if ids = append(ids, result.Check.ID); len(ids) == most {
			break
		}
		classes = append(classes, result.Check.Classes...)
	}
	return ids
}

// rank is how important a failed check is; less is more.
func rank(check Check) int {
	if check.Level != checks.Must {
		return len(gravest) + 2
	}
	if slices.Contains(basic, check.ID) {
		return 0
	}
	for i, classes := range gravest {
		if slices.ContainsFunc(check.Classes, func(class string) bool { return slices.Contains(classes, class) }) {
			return i + 1
		}
	}
	return len(gravest) + 1
}

// verdict judges a profile by its MUST checks. A selection of checks is never all.
func (r *Report) verdict(profile string, selection bool) Verdict {
	v := Verdict{Profile: profile, Counts: map[string]int{}}
	must := map[string]int{}
	for _, result := range r.Results {
		if result.Check.Profile != profile {
			continue
		}
		v.Counts[result.State]++
		if result.Check.Level == checks.Must {
			must[result.State]++
		}
	}
	switch {
	case r.untested():
		v.Verdict = NotTested
	case must[Fail] > 0:
		v.Verdict = NotConformant
	case must[Pass]+must[NotProved]+must[Skipped]+must[NotReached] == 0:
		v.Verdict = Unsupported
	case must[Pass]+must[NotProved]+must[Skipped] == 0:
		v.Verdict = NotTested
	case selection || must[Skipped]+must[NotReached] > 0:
		v.Verdict = Partial
	case must[NotProved] > 0:
		v.Verdict = Unproved
	default:
		v.Verdict = Conformant
	}
	return v
}

// untested reports whether no check was run because the driver's dialect is unknown.
func (r *Report) untested() bool { return r.Problem != "" && len(r.Results) == 0 }

// OK returns whether no MUST check failed, and each was reached.
func (r *Report) OK() bool {
	return !r.untested() && !slices.ContainsFunc(r.Results, func(result Result) bool {
		return result.Check.Level == checks.Must && (result.State == Fail || result.State == NotReached)
	})
}
