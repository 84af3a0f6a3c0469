// Package fault says what goes wrong, and when. A Fault names operations at a
// seam and the effect that they suffer; a Set holds the faults that are in force
// and decides, for each crossing of a seam, which one applies.
//
// Nothing here is random: operations that match are counted, and the same
// operations in the same order suffer the same faults. What is done to an
// operation is done by package seam.
package fault
