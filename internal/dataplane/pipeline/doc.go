// Package pipeline takes requests of all protocols through the same phases, in the same order. A
// protocol has a function for each phase, and one for its errors.
package pipeline
