// Package eventscope decides which names and journal events belong to a run. Several
// runs may use one emulator at the same time. The engine, the oracles, recordings,
// replays, reports and exploration all ask this package, so that they agree.
package eventscope
