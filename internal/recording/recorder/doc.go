// Package recorder writes recordings of scenarios while they run. Package recording
// defines their format; package replay replays them.
package recorder
