package fault

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String renders the effect in a few words.
func (e Effect) String() string {
	k, ok := kindOf(e)
	if !ok {
		return "none"
	}
	words := []string{k.name}
	if value := e.value(k.name); value != "" {
		words = append(words, value)
	}
	if e.RetryAfter != 0 {
		words = append(words, "retryAfter "+e.RetryAfter.String())
	}
	if e.Down != 0 {
		words = append(words, "down "+e.Down.String())
	}
	if e.Forget {
		words = append(words, "forget")
	}
	if e.Delay != 0 && k.name != "delay" {
		words = append(words, "delay "+e.Delay.String())
	}
	return strings.Join(words, " ")
}

// value is what an effect has beyond its name.
func (e Effect) value(name string) string {
	switch name {
	case "fail", "loseReply", "crash", "outage":
		return e.Fail + e.LoseReply + e.Crash + e.Outage
	case "stale", "oversize", "cut", "flip", "cutUpload", "flipUpload":
		return fmt.Sprint(e.Stale + e.Oversize + e.Cut + e.Flip + e.CutUpload + e.FlipUpload)
	case "set":
		return strings.Join(slices.Sorted(maps.Keys(e.Set)), ", ")
	case "delay":
		return e.Delay.String()
	case "clock":
		return e.Clock.String()
	case "loseLease":
		return e.LoseLease.String()
	default:
		return ""
	}
}

// String renders what is matched in a few words.
func (m Match) String() string {
	words := []string{string(m.Seam)}
	for _, pattern := range []string{m.Component, m.Operation, m.Subject} {
		if pattern == "" {
			pattern = "*"
		}
		words = append(words, pattern)
	}
	for _, count := range []struct {
		name string
		n    int
	}{{"nth", m.Nth}, {"every", m.Every}, {"times", m.Times}} {
		if count.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", count.name, count.n))
		}
	}
	if m.For > 0 {
		words = append(words, "for "+m.For.String())
	}
	if m.Since != "" {
		words = append(words, "since "+m.Since)
	}
	if m.Until != "" {
		words = append(words, "until "+m.Until)
	}
	return strings.Join(words, " ")
}
