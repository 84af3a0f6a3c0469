package oracle

import (
	"cmp"
	"slices"
)

// The names of the oracles.
const (
	// Leak: the buckets and accounts of the backend are those that Kubernetes
	// records, and no others.
	Leak = "leak"
	// Loss: nothing is deleted that should be kept, and nothing is missing that
	// Kubernetes records as ready.
	Loss = "loss"
	// Order: what must survive a crash is persisted before the side effect that
	// it names, and things are undone in the order that the KEP gives.
	Order = "order"
	// Foreign: nobody touches the objects of another driver, or kinds that are
	// not his.
	Foreign = "foreign"
	// Secret: no secret is anywhere but in Secrets.
	Secret = "secret"
	// Convergence: every object is what its spec asks for, or says why not.
	Convergence = "convergence"
	// Silence: when all is done there are no writes and no calls any more.
	Silence = "silence"
)

// oracles are all that there are, in the order in which they are asked.
var oracles = []struct {
	name, about string
	judge       func(*evidence) []Finding
}{
	{Leak, "the buckets and accounts of the backend are those that Kubernetes records, and no others", leaks},
	{Loss, "nothing is deleted that should be kept, and nothing is missing that Kubernetes records as ready", losses},
	{Order, "what must survive a crash is persisted before the side effect that it names; things are undone in order", orderViolations},
	{Foreign, "nobody touches the objects of another driver, or kinds that are not his", foreignWrites},
	{Secret, "no secret is anywhere but in Secrets", secretLeaks},
	{Convergence, "every object is what its spec asks for, or says why not", unconverged},
	{Silence, "when all is done there are no writes and no calls any more", activity},
}

// All returns the names of the oracles, each with what it makes sure of, in a
// sentence.
func All() map[string]string {
	all := make(map[string]string, len(oracles))
	for _, o := range oracles {
		all[o.name] = o.about
	}
	return all
}

// Names returns the names of the oracles in the order in which they are asked.
func Names() []string {
	names := make([]string, 0, len(oracles))
	for _, o := range oracles {
		names = append(names, o.name)
	}
	return names
}

// Finding is something that must not be.
type Finding struct {
	// Oracle is the name of the one that has found it.
	Oracle string `json:"oracle"`
	// Message says what is wrong, with which object, in a line.
	Message string `json:"message"`
	// Subject is what it is about: KIND/NAME of an object, or "bucket ID" and
	// "account ID" in the backend.
	Subject string `json:"subject,omitempty"`
	// Events are the sequence numbers of the events that show it.
	Events []uint64 `json:"events,omitempty"`
}

// String renders the finding in a line.
func (f Finding) String() string { return f.Oracle + ": " + f.Message }

// Judge returns what the oracles find, in their order and each thing once. It
// depends on nothing but the input, which it does not change.
func Judge(in Input) []Finding {
	e := gather(&in)
	var found []Finding
	for _, o := range oracles {
		for _, f := range o.judge(e) {
			f.Oracle = o.name
			found = append(found, f)
		}
	}
	return deduplicate(found)
}

// deduplicate leaves out what has been said already.
func deduplicate(found []Finding) []Finding {
	var kept []Finding
	for _, f := range found {
		same := func(other Finding) bool { return other.Oracle == f.Oracle && other.Message == f.Message }
		if !slices.ContainsFunc(kept, same) {
			kept = append(kept, f)
		}
	}
	slices.SortStableFunc(kept, func(a, b Finding) int {
		return cmp.Compare(slices.Index(Names(), a.Oracle), slices.Index(Names(), b.Oracle))
	})
	return kept
}
