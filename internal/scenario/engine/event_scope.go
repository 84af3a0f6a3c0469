package engine

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

// addWord adds a word that identifies events of the scenario: the UID of an object,
// which is part of the names that COSI generates.
func (r *run) addWord(word string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if word != "" && !slices.Contains(r.words, word) {
		r.words = append(r.words, word)
	}
}

func (r *run) eventScope() eventscope.Scope {
	r.mu.Lock()
	defer r.mu.Unlock()
	alone, others := r.isolated.State()
	return eventscope.Scope{
		Alone: alone, Others: others,
		Namespaces: append([]string{r.namespace}, r.namespaces...), Words: append(slices.Clone(r.words), r.scope),
	}
}

// ownScope is the scope without events that belong to the run only because it runs
// alone.
func (r *run) ownScope() eventscope.Scope { return r.eventScope().Own() }
