package eventscope

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Scope identifies one run by words: its namespace, its scope name, and the UIDs of its objects,
// which are part of the names that COSI generates.
type Scope struct {
	// Alone means that no other run has used the emulator meanwhile. Then everything is in the
	// scope, except names of Others: a call for an unknown bucket must be a mistake of this run's
	// components.
	Alone bool `json:"alone,omitempty"`
	// Namespaces are the namespaces of the run.
	Namespaces []string `json:"namespaces,omitempty"`
	// Words identify other names of the run.
	Words []string `json:"words,omitempty"`
	// Others are words of runs that left something behind.
	Others []string `json:"others,omitempty"`
}

// Own returns the scope without names that belong to it only because the run was alone.
func (s Scope) Own() Scope {
	s.Alone = false
	return s
}

// Names reports whether a name belongs to the scope.
func (s Scope) Names(name string) bool {
	if s.Alone {
		return !mentionsAny(name, s.Others)
	}
	return mentionsAny(name, s.Words) || mentionsAny(name, s.Namespaces)
}

// HasNamespace reports whether a namespace belongs to the scope.
func (s Scope) HasNamespace(namespace string) bool {
	if s.Alone {
		return !slices.Contains(s.Others, namespace)
	}
	return slices.Contains(s.Namespaces, namespace)
}

// Concerns reports whether an event belongs to the scope: by its subject, by its component, by a
// log message, or because it is a life cycle event of a component that all runs share.
func (s Scope) Concerns(e journal.Event) bool {
	if s.Alone {
		return !mentionsAny(e.Operation.Subject, s.Others) && !mentionsAny(e.Component, s.Others)
	}
	if e.Seam == journal.SeamProcess && isShared(e.Component) {
		return true
	}
	return s.Names(e.Operation.Subject) || s.Names(e.Component) || e.Seam == journal.SeamLog && s.Names(e.Message)
}

// isShared reports whether all runs share a component: one that every emulator has, its second
// replica, or a process of the control plane.
func isShared(component string) bool {
	return slices.Contains(vocabulary.Components(), strings.TrimSuffix(component, vocabulary.ReplicaSuffix)) ||
		slices.Contains(vocabulary.ControlPlane(), component)
}

func mentionsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return Mentions(text, word) })
}
