// Package report has the [Report] of a run of scenarios, and its formats for people and programs:
// the text of failures, the table, JUnit XML, JSON, and, in package timeline, HTML. A Report is
// made from the engine's results and the journal. Its JSON can be read again, so that every other
// format can be made later, elsewhere.
package report
