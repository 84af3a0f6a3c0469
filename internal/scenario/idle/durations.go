package idle

import "time"

const (
	// SettleQuiet is the default of the least silence for `settle`.
	SettleQuiet = 200 * time.Millisecond
	// ShortQuiet is the silence before the oracles look first: nearly all scenarios are idle by
	// then.
	ShortQuiet = 30 * time.Millisecond
	// LongQuiet is the silence before the oracles look again, if they found something
	// that a component slowed down by a busy machine may still repair.
	LongQuiet = 600 * time.Millisecond
	// MaxWait limits how long the oracles wait for silence.
	MaxWait = 6 * time.Second
	// ProtectedQuiet is the least silence after which an object with COSI's finalizer counts as
	// stalled. WaitSettled extends no silence beyond it.
	ProtectedQuiet = 2 * time.Second

	// latencyFactor is the least silence after which an object counts as stalled, or all as settled, in
	// round trips to the API server. A component makes a few requests between two
	// visible operations, and any of them may be slower than most.
	latencyFactor = 40
)
