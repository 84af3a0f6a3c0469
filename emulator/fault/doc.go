// Package fault describes faults. A Fault matches operations at a seam, and has an effect on them.
// A Set contains the active faults, and selects the one that applies to an operation. The
// emulator's seams apply the effects.
//
// Nothing is random: matching operations are counted, and the same operations in the same order
// have the same faults.
package fault
