// Package timeline writes a report of scenarios as one HTML file. It shows the operations of each
// component in lanes on one time axis, the changes of the objects' conditions, and the failures.
//
// The file requires no network and no other file, and can be read without scripts. Text of a
// journal is not trusted: all of it goes through html/template, and a content security policy
// allows only the script of this package.
package timeline
