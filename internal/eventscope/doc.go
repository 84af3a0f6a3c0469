// Package eventscope decides which names and journal events belong to a run, because several runs
// may use one emulator at the same time. The engine, the oracles, recordings, replays, reports and
// exploration all use this package, so that they agree.
package eventscope
