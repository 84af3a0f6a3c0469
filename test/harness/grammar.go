package harness

import "regexp"

// mistakes are a wrong article, and one of several things: "a access", "1 objects".
var mistakes = regexp.MustCompile(`\b[Aa] (?:[aei][a-z]|o[^n])[a-z]{2,}|` +
	`(?m:^|[(,:;] ?|\b(?:after|and|are|at least|at most|for|has|have|in|than|with) )1 [a-z]{3,}s\b`)

// GrammarMistake returns the first mistake in an output that a program has put together, or "".
func GrammarMistake(output string) string { return mistakes.FindString(output) }
