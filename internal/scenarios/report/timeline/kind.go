package timeline

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// kind is what readers turn on and off, and what a mark looks like.
type kind string

// The kinds of events.
const (
	kindWrite   kind = "write"   // may change something in the API server
	kindRead    kind = "read"    // get and list
	kindWatch   kind = "watch"   // the opening of a watch
	kindCall    kind = "call"    // between sidecar and driver
	kindStore   kind = "store"   // S3, and the driver's administrative calls
	kindProcess kind = "process" // the life of a component
	kindLog     kind = "log"     // what a component says
)

// kinds are all of them, in the order in which they are offered.
var kinds = []kind{kindWrite, kindCall, kindStore, kindProcess, kindLog, kindRead, kindWatch}

func kindOf(e journal.Event) kind {
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
func (k kind) minor() bool { return k == kindRead || k == kindWatch || k == kindLog }

// signs stand for the verbs of the API, as in a diff.
var signs = map[string]string{"create": "+", "update": "~", "patch": "~", "delete": "−", "deletecollection": "−"}

// nouns stand for the resources that a journal is full of.
var nouns = strings.NewReplacer("bucketaccessclasses", "access class", "bucketclasses", "class",
	"bucketclaims", "claim", "bucketaccesses", "access", "buckets", "bucket", "secrets", "secret", "events", "event", "leases", "lease")

// short names an event in as few letters as can be understood.
func short(e journal.Event) string {
	name := e.Operation.Name
	switch kindOf(e) {
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
