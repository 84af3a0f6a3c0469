package ui

import (
	"fmt"
	"testing"
)

// TestEndedObjects: a page learns which objects have ended, and only the latest of them stay in memory, however many
// objects there are.
func TestEndedObjects(t *testing.T) {
	g := newGraph(nil, nil)
	const living = 3 * maxGone
	for i := range living {
		g.put(&node{ID: fmt.Sprint("living-", i)})
	}
	_, _, before := g.since(0)
	for i := range maxGone + 2 {
		id := fmt.Sprint("ended-", i)
		g.put(&node{ID: id})
		g.remove(id)
	}
	g.put(&node{ID: "ended-2"}) // created again
	g.remove("living-0")
	nodes, gone, _ := g.since(before)
	if len(nodes) != 1 || nodes[0].ID != "ended-2" || len(gone) != maxGone {
		t.Errorf("the page learns of %d objects, and of the end of %d; want ended-2, and %d", len(nodes), len(gone), maxGone)
	}
	if all, _, _ := g.since(0); len(all) != living {
		t.Errorf("%d objects are left, want %d", len(all), living)
	}
}
