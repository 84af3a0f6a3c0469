package fault

import (
	"reflect"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// kind is one of the effects, or a detail of some, described by the tags of its field.
type kind struct {
	name  string
	index []int
	seams []journal.Seam
	// events means that the kind exists for the events of a watch, and requests that it exists for
	// all other operations.
	events, requests bool
	// with are the effects of which it is a detail.
	with     []string
	enum     []string
	negative bool
}

// kinds are all effects, and details the fields that modify them.
var kinds, details = fieldsOfEffect()

func fieldsOfEffect() (effects, beside []kind) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Effect]()) {
		_, negative := f.Tag.Lookup("negative")
		k := kind{
			name: f.Tag.Get("yaml"), index: f.Index, with: words(f.Tag.Get("with")), enum: words(f.Tag.Get("enum")), negative: negative,
		}
		for _, place := range words(f.Tag.Get("at")) {
			if place == "events" {
				k.events = true
				continue
			}
			k.requests, k.seams = true, append(k.seams, journal.Seam(place))
		}
		if k.events && !slices.Contains(k.seams, journal.SeamAPI) {
			k.seams = append(k.seams, journal.SeamAPI)
		}
		if len(k.with) > 0 {
			beside = append(beside, k)
		} else {
			effects = append(effects, k)
		}
	}
	return effects, beside
}

func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func (k kind) of(e Effect) reflect.Value { return reflect.ValueOf(e).FieldByIndex(k.index) }

func (k kind) given(e Effect) bool {
	v := k.of(e)
	return !v.IsZero() && (v.Kind() != reflect.Map || v.Len() > 0)
}

func (k kind) isDelay() bool { return k.name == "delay" }

// Effects returns the names of the effects that exist at a seam.
func Effects(seam journal.Seam) []string {
	return namesOf(func(k kind) bool { return slices.Contains(k.seams, seam) })
}

func namesOf(chosen func(kind) bool) []string {
	var names []string
	for _, k := range kinds {
		if chosen(k) {
			names = append(names, k.name)
		}
	}
	return names
}

// kindOf returns the effect that is set; delay only without another.
func kindOf(e Effect) (found kind, ok bool) {
	for _, k := range kinds {
		if k.given(e) && (!ok || found.isDelay()) {
			found, ok = k, true
		}
	}
	return found, ok
}

// about reports whether an effect on reads applies to a request of this name.
func (e Effect) about(operation string) bool {
	var verbs []string
	switch {
	case e.Freeze, e.Lag:
		verbs = []string{"list ", "watch "}
	case e.Stale != 0:
		verbs = stales
	default:
		return true
	}
	return slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(operation, verb) })
}

// stales are the prefixes of requests that can be answered with an earlier state.
var stales = []string{"get ", "list "}

// suits reports whether the effect is meant for an operation: requests, unless the fault selects
// events or the effect exists for nothing else.
func (f Fault) suits(k kind, c Operation) bool {
	if !c.event() {
		return k.requests && f.about(c.Operation)
	}
	return k.events && (!k.requests || f.Freeze || f.Lag || strings.HasPrefix(f.Operation, journal.EventPrefix))
}
