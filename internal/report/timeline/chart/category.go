package chart

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Category is the unit in which readers show and hide events, and decides the look of a mark.
type Category string

const (
	kindWrite   Category = "write"   // may change something in the API server
	kindRead    Category = "read"    // get and list, and the renewal of a Lease
	kindWatch   Category = "watch"   // the opening of a watch
	kindCall    Category = "call"    // between sidecar and driver
	kindStore   Category = "store"   // S3, and the driver's administrative calls
	kindProcess Category = "process" // the life of a component
	// KindLog is the log of a component.
	KindLog Category = "log"
)

// Categories are all categories, in the order of the page.
var Categories = []Category{kindWrite, kindCall, kindStore, kindProcess, KindLog, kindRead, kindWatch}

// CategoryOf returns the category of an event.
func CategoryOf(e journal.Event) Category {
	switch e.Seam {
	case journal.SeamRPC:
		return kindCall
	case journal.SeamStore:
		return kindStore
	case journal.SeamProcess:
		return kindProcess
	case journal.SeamLog:
		return KindLog
	case journal.SeamAPI:
	}
	switch {
	case e.Write() && !isRenewal(e):
		return kindWrite
	case strings.HasPrefix(e.Operation.Name, "watch "):
		return kindWatch
	default:
		return kindRead
	}
}

// isRenewal reports whether an event only keeps the lead of a component, as one does every few seconds. The first
// write creates the Lease, and a fault is what a reader looks for.
func isRenewal(e journal.Event) bool {
	return e.Operation.Name == "update leases" && e.Fault == "" && !e.Failed()
}

// Label returns the name of the category for readers.
func (c Category) Label() string { return labels[c] }

// minor kinds are drawn small, and without a label.
func (c Category) minor() bool { return c == kindRead || c == kindWatch || c == KindLog }

// signs stand for the verbs of the API, as in a diff.
var signs = map[string]string{"create": "+", "update": "~", "patch": "~", "delete": "−", "deletecollection": "−"}

// nouns abbreviate frequent resources.
var nouns = strings.NewReplacer("bucketaccessclasses", "access class", "bucketclasses", "class",
	"bucketclaims", "claim", "bucketaccesses", "access", "buckets", "bucket", "secrets", "secret", "events", "event", "leases", "lease")

func short(e journal.Event) string {
	name := e.Operation.Name
	switch CategoryOf(e) {
	case kindWrite:
		verb, resource, _ := strings.Cut(name, " ")
		return signs[verb] + nouns.Replace(resource)
	case kindCall:
		return strings.TrimPrefix(name, "Driver")
	case kindProcess:
		return name
	default:
		return strings.TrimPrefix(name, "Admin")
	}
}

// labels are the names of the categories for readers.
var labels = map[Category]string{
	kindWrite: "API writes", kindRead: "reads, leases", kindWatch: "watches", kindCall: "calls",
	kindStore: "store", kindProcess: "processes", KindLog: "log",
}

// ShownAtFirst is false for reads and watches, which are frequent and rarely relevant.
func (c Category) ShownAtFirst() bool { return c != kindRead && c != kindWatch }
