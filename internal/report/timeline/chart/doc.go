// Package chart draws the events and steps of a scenario: the operations of each component in lanes
// on one time axis, and the changes of the objects' conditions below them.
package chart
