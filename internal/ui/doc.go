// Package ui serves a page that shows a running emulator live, and controls it: the objects as a
// graph, a timeline of the journal, the S3 store, faults and components. The user's actions can be
// saved as a scenario.
//
// The page listens on loopback only. Its URL has a token, requests of other origins are rejected,
// and it loads nothing from elsewhere. The number of its elements does not depend on the number of
// objects and events: the server sends windows of the timeline, and the script draws only the
// visible objects.
package ui
