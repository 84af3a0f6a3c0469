// Package life generates scenarios: random legal lives of several claims and accesses, with the people who use and delete them, and
// with components that restart meanwhile. Steps of a life wait only for what the specification demands, so that each that times
// out, and each finding of an oracle, is a bug.
package life
