// Package timeline writes a report of scenarios as one HTML file for people: who
// has done what and when, in lanes on one clock, how the conditions of the objects
// have changed meanwhile, and what was not as expected.
//
// It exists apart from package report because a picture has its own reasons to
// change. The file needs nothing else: no network, no other file, and no script to
// be read. Whatever stands in a journal is text that nobody has vouched for, so all
// of it goes through html/template, and a content security policy lets nothing run
// but the script that is part of this package.
package timeline
