// Package life generates scenarios: random legal lives of several claims and accesses, in which applications and an
// administrator create, use and delete objects while components restart. The suite has the orders that its authors thought of;
// a life has others. Its steps wait only for states that the specification demands, so every timeout of a step, and every
// finding of an oracle, is a bug. The package knows scenarios as text only: package explore runs them.
package life
