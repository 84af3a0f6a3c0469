// Package replay runs recordings again: as the scenario that they were made of, or
// with a driver that answers as the recorded one did, or not at all, but judged
// by today's oracles.
//
// Two runs of one scenario are never equal: names have other UIDs in them, and
// components that do not wait for each other go on in another order. What is
// compared is, for each object, bucket and account by itself, what each component
// has done to it, in its order: see [Trace].
package replay
