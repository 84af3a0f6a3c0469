// Package report says how scenarios went. A [Report] is made from the engine's
// results and the journal, and everything that people and other programs read is
// made from the Report: the text of failures, the table, JUnit XML, JSON, and, in
// package timeline, HTML. As it can be written and read again as JSON, each of
// them can be made later, elsewhere, from a stored one.
package report
