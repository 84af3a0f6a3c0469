package events

import (
	"fmt"
	"hash/crc32"

	"k8s.io/apimachinery/pkg/runtime"
)

// Distinct returns a recorder whose Events have a mark of their note in the action. client-go compares an Event with earlier
// ones by every field but the note: it would count a second failure of an object that has not changed meanwhile as a
// repetition of the first, and its note would be lost.
func Distinct(r Recorder) Recorder { return distinct{r} }

type distinct struct{ Recorder }

// Eventf implements Recorder.
func (d distinct) Eventf(regarding, related runtime.Object, eventType, reason, action, note string, arguments ...any) {
	text := fmt.Sprintf(note, arguments...)
	d.Recorder.Eventf(regarding, related, eventType, reason, marked(action, text), "%s", text)
}

// AnnotatedEventf implements Recorder.
func (d distinct) AnnotatedEventf(
	regarding, related runtime.Object, annotations map[string]string, eventType, reason, action, note string, arguments ...any,
) {
	text := fmt.Sprintf(note, arguments...)
	d.Recorder.AnnotatedEventf(regarding, related, annotations, eventType, reason, marked(action, text), "%s", text)
}

func marked(action, text string) string {
	return fmt.Sprintf("%s-%08x", action, crc32.ChecksumIEEE([]byte(text)))
}
