package spec

import (
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Fault makes something go wrong at a seam. Its fields are those of package
// emulator/fault, which says more about each.
type Fault struct {
	Name      string   `yaml:"name" required:"true" doc:"for heal and reports"`
	Seam      string   `yaml:"seam" required:"true" enum:"api,rpc,store,process" doc:"api, rpc, store, or process for starts of components"`
	Component Text     `yaml:"component" doc:"whose operations; any by default, of an rpc its caller's"`
	Operation Text     `yaml:"operation" doc:"which; * is any number of any characters; \"event buckets\" is what a watch tells of buckets"`
	Subject   Text     `yaml:"subject" doc:"on what; * is any number of any characters"`
	Nth       int      `yaml:"nth" doc:"only the n-th that matches, from now on"`
	Every     int      `yaml:"every" doc:"every n-th that matches"`
	Times     int      `yaml:"times" doc:"how many times at most"`
	For       Duration `yaml:"for" doc:"how long, from the first time on"`
	Since     string   `yaml:"since" doc:"a mark before which nothing matches; now by default"`
	Until     string   `yaml:"until" doc:"a mark after which nothing matches"`

	Fail       string   `yaml:"fail" doc:"the code that comes back instead of the operation: 409, Conflict, reset, Unavailable, SlowDown, ..."`
	Lose       string   `yaml:"loseReply" doc:"the code that comes back although the operation has happened"`
	RetryAfter Duration `yaml:"retryAfter" doc:"with a code of the API server: when to come again"`
	Message    string   `yaml:"message" doc:"with a code: the text of the error"`
	Delay      Duration `yaml:"delay" doc:"how long the operation is held up"`
	Hang       bool     `yaml:"hang" doc:"the operation never comes back"`
	Duplicate  bool     `yaml:"duplicate" doc:"the operation happens twice; an event is told twice"`
	Crash      string   `yaml:"crash" enum:"before,after" doc:"before or after: the component dies at that moment"`
	Outage     string   `yaml:"outage" enum:"kube-apiserver,etcd" doc:"kube-apiserver or etcd: it dies before the operation"`
	Down       Duration `yaml:"down" doc:"how long what has died stays dead; it starts again at once by default"`

	LoseLease Duration `yaml:"loseLease" doc:"somebody else takes the component's Lease before the operation, for so many seconds"`
	Clock     Jump     `yaml:"clock" doc:"the component reads another time until it is healed: +2h or -20m; with process from its start"`
	Forget    bool     `yaml:"forget" doc:"with crash: the store comes back empty, a driver without what it provisioned"`

	Stale      int  `yaml:"stale" doc:"reads answer as so many changes ago"`
	Drop       bool `yaml:"drop" doc:"the event is not told"`
	CloseWatch bool `yaml:"closeWatch" doc:"the watch ends before the event is told"`
	Freeze     bool `yaml:"freeze" doc:"no event is told, and lists answer as of now, until it is healed"`

	Set      map[string]Value `yaml:"set" doc:"fields of the driver's response: values by path, such as protocols.s3.region; null empties one"`
	Empty    bool             `yaml:"empty" doc:"the driver's response is empty"`
	Swap     bool             `yaml:"swap" doc:"the driver's response is that of the call before"`
	Oversize int              `yaml:"oversize" doc:"the driver's response is so many bytes larger"`

	Cut  int `yaml:"cut" doc:"the body of the store's answer ends, with the connection, after so many bytes"`
	Flip int `yaml:"flip" doc:"one bit of this byte of the store's answer is wrong, counted from 1"`

	CutUpload  int `yaml:"cutUpload" doc:"of the body of a request to the store so many bytes arrive, then the connection ends"`
	FlipUpload int `yaml:"flipUpload" doc:"one bit of this byte of the body of a request arrives wrong at the store, counted from 1"`
}

// Fault returns the fault that the document describes, under another name. Texts
// and values are what the functions make of them.
func (f *Fault) Fault(name string, text func(Text) (string, error), value func(*Value) (any, error)) (fault.Fault, error) {
	made := fault.Fault{
		Name: name,
		Match: fault.Match{
			Seam: journal.Seam(f.Seam), Nth: f.Nth, Every: f.Every, Times: f.Times,
			For: time.Duration(f.For), Since: f.Since, Until: f.Until,
		},
		Effect: fault.Effect{
			Fail: f.Fail, LoseReply: f.Lose, RetryAfter: time.Duration(f.RetryAfter), Message: f.Message,
			Delay: time.Duration(f.Delay), Hang: f.Hang, Duplicate: f.Duplicate,
			Crash: f.Crash, Outage: f.Outage, Down: time.Duration(f.Down), Forget: f.Forget,
			LoseLease: time.Duration(f.LoseLease), Clock: time.Duration(f.Clock),
			Stale: f.Stale, Drop: f.Drop, CloseWatch: f.CloseWatch, Freeze: f.Freeze,
			Empty: f.Empty, Swap: f.Swap, Oversize: f.Oversize, Cut: f.Cut, Flip: f.Flip,
			CutUpload: f.CutUpload, FlipUpload: f.FlipUpload,
		},
	}
	var err error
	for _, pattern := range []struct {
		of   Text
		into *string
	}{{f.Component, &made.Match.Component}, {f.Operation, &made.Match.Operation}, {f.Subject, &made.Match.Subject}} {
		if *pattern.into, err = text(pattern.of); err != nil {
			return made, err
		}
	}
	for path, field := range f.Set {
		if made.Effect.Set == nil {
			made.Effect.Set = map[string]any{}
		}
		if made.Effect.Set[path], err = value(&field); err != nil {
			return made, err
		}
	}
	return made, nil
}

// check finds what is wrong with a fault before it runs. What its expressions will
// come to is not known yet.
func (f *Fault) check() error {
	if strings.Contains(f.Operation.Source(), "${") {
		return nil
	}
	found, err := f.Fault(f.Name, func(t Text) (string, error) { return t.Source(), nil }, (*Value).plain)
	if err != nil {
		return nil //nolint:nilerr // it has values that are not known yet
	}
	return found.Validate()
}
