package journal

import (
	"encoding/json"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
)

// AddAccountSecret adds a secret value of an account. The journal removes it from all its events,
// earlier ones included.
func (j *Journal) AddAccountSecret(account, value string) {
	j.secrets.Add(secretvalues.Account(account), value)
}

// AddSecret adds a value of a Secret; see AddAccountSecret.
func (j *Journal) AddSecret(namespace, name, value string) {
	j.secrets.Add(secretvalues.Secret(namespace, name), value)
}

// Redact returns a text without the known secret values, and the owners of the values that it
// contained; see Event.Leaks.
func (j *Journal) Redact(text string) (redacted string, leaks []string) {
	return j.secrets.Redact(text, 0)
}

// RedactJSON is Redact for JSON. The result is JSON, too.
func (j *Journal) RedactJSON(text json.RawMessage) (redacted json.RawMessage, leaks []string) {
	return j.secrets.RedactJSON(text, 0)
}

// SecretCount returns how many secret values were added until now. Events that are read afterwards
// contain none of them.
func (j *Journal) SecretCount() int { return j.secrets.Count() }

// RedactEvent returns an event without the secret values that were added since there were count of
// them.
func (j *Journal) RedactEvent(e Event, count int) Event { return j.redact(e, count) }

// redact removes the values that were added after the first ones, by number.
func (j *Journal) redact(e Event, after int) Event {
	if j.secrets.Count() == after {
		return e
	}
	note := func(owners []string) {
		for _, owner := range owners {
			if !slices.Contains(e.Leaks, owner) {
				e.Leaks = append(slices.Clip(e.Leaks), owner)
			}
		}
	}
	var leaks []string
	e.Request, leaks = j.secrets.RedactJSON(e.Request, after)
	note(leaks)
	e.Response, leaks = j.secrets.RedactJSON(e.Response, after)
	note(leaks)
	for _, text := range []*string{&e.Message, &e.Operation.Name, &e.Operation.Subject} {
		*text, leaks = j.secrets.Redact(*text, after)
		note(leaks)
	}
	return e
}

// latest returns a kept event without the values that became known since it was redacted.
func (j *Journal) latest(i int) Event {
	k := &j.events[i]
	if count := j.secrets.Count(); count != k.redacted {
		before := size(k.Event)
		k.Event, k.redacted = j.redact(k.Event, k.redacted), count
		j.bytes += size(k.Event) - before
	}
	return k.Event
}
