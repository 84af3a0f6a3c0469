package run

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Reasons returns the reasons that components have written, in conditions and Events, sorted. They tell
// which branches of the components the events have exercised.
func Reasons(events []journal.Event) []string {
	given := map[string]bool{}
	for _, e := range events {
		if !e.Write() || e.Failed() || e.Component == vocabulary.Administrator {
			continue
		}
		var written struct {
			Reason string `json:"reason"`
			Status struct {
				Conditions []metav1.Condition `json:"conditions"`
			} `json:"status"`
		}
		if json.Unmarshal(e.Response, &written) != nil {
			continue
		}
		if strings.HasSuffix(e.Operation.Name, " events") {
			given[written.Reason] = true
		}
		for _, c := range written.Status.Conditions {
			given[c.Reason] = true
		}
	}
	delete(given, "")
	return slices.Sorted(maps.Keys(given))
}
