// Package shrink shrinks the scenario and the faults of a finding while the same oracle finds it. It
// writes the smallest scenario, and the recording and the timeline of a run of it.
package shrink
