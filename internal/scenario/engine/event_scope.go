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
	r.addWordLocked(word)
}

func (r *run) addWordLocked(word string) {
	if word != "" && !slices.Contains(r.words, word) {
		r.words = append(r.words, word)
	}
}

// learnIDs adds the IDs that a driver has chosen for the names of the run. The caller holds r.mu.
func (r *run) learnIDs() {
	own := eventscope.Scope{Words: append(slices.Clone(r.words), r.scope)}
	for _, e := range r.engine.journal.Since(r.learned) {
		r.learned = e.Seq
		if minted, ok := eventscope.MintedIn(e); ok && own.Names(minted.Name) {
			r.addWordLocked(minted.BucketID)
			r.addWordLocked(minted.AccountID)
		}
	}
}

func (r *run) eventScope() eventscope.Scope {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.learnIDs()
	alone, others := r.isolated.State()
	return eventscope.Scope{
		Alone: alone && !r.company, Others: append(slices.Clone(r.others), others...),
		Namespaces: append([]string{r.namespace}, r.namespaces...), Words: append(slices.Clone(r.words), r.scope),
	}
}

// ownScope is the scope without events that belong to the run only because it runs
// alone.
func (r *run) ownScope() eventscope.Scope { return r.eventScope().Own() }
