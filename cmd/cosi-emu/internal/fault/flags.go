package fault

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// faultFlags are the flags of a fault.
type faultFlags struct {
	seam   string
	match  fault.Match
	effect fault.Effect
	set    []string
}

func (f *faultFlags) add(flags *pflag.FlagSet) {
	m, e := &f.match, &f.effect
	flags.StringVar(&f.seam, "seam", "", "where: api, rpc, store or process")
	flags.StringVar(&m.Component, "component", "", "pattern of whose operations: controller, sidecar, driver, store; all by default")
	flags.StringVar(&m.Operation, "operation", "", "pattern of which, as in 'cosi-emu logs'; all by default")
	flags.StringVar(&m.Subject, "subject", "", "pattern of what they are about; all by default")
	flags.IntVar(&m.Nth, "nth", 0, "only the n-th that matches, from now on")
	flags.IntVar(&m.Every, "every", 0, "only every n-th that matches")
	flags.IntVar(&m.Times, "times", 0, "how many operations are hit at most; 0 is any number")
	flags.DurationVar(&m.For, "for", 0, "how long after its first hit the fault ends; 0 is never")

	flags.StringVar(&e.Fail, "fail", "", "code that comes back instead of the operation: an HTTP status or a Kubernetes reason, "+
		"a gRPC code, an S3 code, reset, tls")
	flags.StringVar(&e.LoseReply, "lose-reply", "", "code that comes back although the operation has happened")
	flags.DurationVar(&e.RetryAfter, "retry-after", 0, "with a failing HTTP answer: when to come again")
	flags.StringVar(&e.Message, "message", "", "text of the error")
	flags.DurationVar(&e.Delay, "delay", 0, "how long the operation is held up")
	flags.BoolVar(&e.Hang, "hang", false, "the operation does not come back until the caller's deadline")
	flags.BoolVar(&e.Duplicate, "duplicate", false, "the operation is done twice")
	flags.StringVar(&e.Crash, "crash", "", "the component dies before or after the operation, and is started again")
	flags.StringVar(&e.Outage, "outage", "", "kube-apiserver or etcd is killed before the operation, and started again")
	flags.DurationVar(&e.Down, "down", 0, "with a crash or an outage: how long until it is started again")
	flags.DurationVar(&e.LoseLease, "lose-lease", 0, "somebody else takes the component's Lease, and holds it for so many seconds")
	flags.DurationVar(&e.Clock, "clock", 0,
		"the component's clock is ahead by so much, or behind if it is negative, until the fault is removed")
	flags.BoolVar(&e.Forget, "forget", false, "with a crash: the store, or a fake driver, comes back without what it kept")
	flags.IntVar(&e.Stale, "stale", 0, "reads see objects as they were so many changes ago")
	flags.BoolVar(&e.Drop, "drop", false, "events of watches are not told")
	flags.BoolVar(&e.CloseWatch, "close-watch", false, "watches end before the event")
	flags.BoolVar(&e.Freeze, "freeze", false, "the component sees an old world until the fault is removed")
	flags.StringArrayVar(&f.set, "set", nil, "field of the driver's answer, and what it becomes: PATH=JSON; null empties it")
	flags.BoolVar(&e.Empty, "empty", false, "the driver's answer is empty")
	flags.BoolVar(&e.Swap, "swap", false, "the driver's answer is that of the call before")
	flags.IntVar(&e.Oversize, "oversize", 0, "bytes by which the driver's answer is larger")
	flags.IntVar(&e.Cut, "cut", 0, "the body of the answer ends after so many bytes")
	flags.IntVar(&e.Flip, "flip", 0, "a bit of this byte of the answer's body is turned, counted from 1")
	flags.IntVar(&e.CutUpload, "cut-upload", 0, "the body of the request ends after so many bytes, on its way into the store")
	flags.IntVar(&e.FlipUpload, "flip-upload", 0, "a bit of this byte of the request's body is turned on its way, counted from 1")
}

func (f *faultFlags) fault(name string) (fault.Fault, error) {
	f.match.Seam = journal.Seam(f.seam)
	for _, setting := range f.set {
		path, text, found := strings.Cut(setting, "=")
		var value any
		if err := json.Unmarshal([]byte(text), &value); !found || err != nil {
			return fault.Fault{}, fmt.Errorf(`--set %q must have the form PATH=JSON, for example bucket_id='"x"'`, setting)
		}
		if f.effect.Set == nil {
			f.effect.Set = map[string]any{}
		}
		f.effect.Set[path] = value
	}
	all := fault.Fault{Name: name, Match: f.match, Effect: f.effect}
	return all, all.Validate()
}
