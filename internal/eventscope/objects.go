package eventscope

import (
	"encoding/json"
	"iter"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Object has the data about an object in responses of the API server.
type Object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	} `json:"metadata"`
}

// Objects yields the objects in the recorded responses of the API server, with repetitions.
func Objects(events []journal.Event) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for _, e := range events {
			var object Object
			if e.Seam != journal.SeamAPI || json.Unmarshal(e.Response, &object) != nil || object.Metadata.UID == "" {
				continue
			}
			if !yield(object) {
				return
			}
		}
	}
}
