package timeline

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// category is the unit in which readers show and hide events, and decides the look of a mark.
type category string

const (
	kindWrite   category = "write"   // may change something in the API server
	kindRead    category = "read"    // get and list
	kindWatch   category = "watch"   // the opening of a watch
	kindCall    category = "call"    // between sidecar and driver
	kindStore   category = "store"   // S3, and the driver's administrative calls
	kindProcess category = "process" // the life of a component
	kindLog     category = "log"     // a component's log
)

// categories are all categories, in the order of the page.
var categories = []category{kindWrite, kindCall, kindStore, kindProcess, kindLog, kindRead, kindWatch}

func categoryOf(e journal.Event) category {
	switch e.Seam {
	case journal.SeamRPC:
		return kindCall
	case journal.SeamStore:
		return kindStore
	case journal.SeamProcess:
		return kindProcess
	case journal.SeamLog:
		return kindLog
	case journal.SeamAPI:
	}
	switch {
	case e.Write():
		return kindWrite
	case strings.HasPrefix(e.Operation.Name, "watch "):
		return kindWatch
	default:
		return kindRead
	}
}

// minor kinds are drawn small, and without a label.
func (k category) minor() bool { return k == kindRead || k == kindWatch || k == kindLog }

// signs stand for the verbs of the API, as in a diff.
var signs = map[string]string{"create": "+", "update": "~", "patch": "~", "delete": "−", "deletecollection": "−"}

// nouns abbreviate frequent resources.
var nouns = strings.NewReplacer("bucketaccessclasses", "access class", "bucketclasses", "class",
	"bucketclaims", "claim", "bucketaccesses", "access", "buckets", "bucket", "secrets", "secret", "events", "event", "leases", "lease")

func short(e journal.Event) string {
	name := e.Operation.Name
	switch categoryOf(e) {
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
