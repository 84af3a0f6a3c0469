// Package figure has what measurements come to: each a number with a bar that it
// must not be over, most of them ratios to a baseline of the same run. It prints
// them for people and for programs.
package figure
