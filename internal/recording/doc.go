// Package recording is the file of a run: its scenario, the versions, the faults, and every event
// of the journal. With it a failure can be inspected, judged and replayed elsewhere.
//
// A recording is lines of JSON, an [Entry] each: a [Header], then events, faults and states in
// their order, and an [End]. Every line ends with a checksum of itself (CRC-32C) and is written at
// once, so that a killed program loses at most the line that it was writing. It contains no
// secrets: events have none, and states name credentials by their owners.
package recording
