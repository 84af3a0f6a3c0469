// Package replay replays recordings in three ways: it runs the recorded scenario again,
// it runs with a driver that returns the recorded answers, or it judges the recording
// with today's oracles without a run.
//
// Two runs of one scenario are never equal: names contain other UIDs, and components
// that do not wait for each other run in another order. So the comparison is separate
// for each object, bucket and account. It covers the operations of each component, in
// their order: see [Trace].
package replay
