package fakedriver

import (
	"maps"
	"slices"
	"strings"
)

// ParameterNote is the parameter of BucketClasses and BucketAccessClasses that
// holds any short text. It is kept with the bucket or account, and changes
// nothing but their identity: asking again with another note is a conflict.
const ParameterNote = "note"

// ParameterNonEmptyDeletion is the parameter of BucketClasses that says what
// becomes of a bucket with objects when it is to be deleted: NonEmptyRefuse, the
// default, or NonEmptyPurge.
const ParameterNonEmptyDeletion = "nonEmptyDeletion"

// Values of ParameterNonEmptyDeletion.
const (
	// NonEmptyRefuse refuses to delete the bucket until it is empty.
	NonEmptyRefuse = "refuse"
	// NonEmptyPurge deletes the objects with the bucket.
	NonEmptyPurge = "purge"
)

const maxNoteLength = 256

var (
	bucketParameters = []string{ParameterNonEmptyDeletion, ParameterNote}
	accessParameters = []string{ParameterNote}
)

// checkParameters refuses parameters that the driver does not know, so that a
// misspelt one is not silently without effect.
func checkParameters(known []string, parameters map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.Contains(known, key) {
			return invalid("parameter %s is not known: the driver knows %s", quote(key), strings.Join(known, ", "))
		}
	}
	if value, ok := parameters[ParameterNonEmptyDeletion]; ok && value != NonEmptyRefuse && value != NonEmptyPurge {
		return invalid("parameter %s is %s: it must be %s or %s", ParameterNonEmptyDeletion, quote(value), NonEmptyRefuse, NonEmptyPurge)
	}
	if note := parameters[ParameterNote]; len(note) > maxNoteLength {
		return invalid("parameter %s has %d bytes, more than %d", ParameterNote, len(note), maxNoteLength)
	}
	return nil
}
