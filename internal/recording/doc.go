// Package recording is the file that a run leaves behind: what was run, by which
// versions, which faults there were, and every event of the journal. With it a
// failure can be looked at, judged and run again elsewhere.
//
// A recording is lines of JSON, an [Entry] each: a [Header], then events, faults
// and states in the order in which they happened, and an [End]. Every line ends
// with a checksum of itself (CRC-32C) and is written at once, so that a program
// that is killed loses at most the line that it was writing. There are no secrets
// in it: events have none, and states name credentials by what they belong to.
package recording
