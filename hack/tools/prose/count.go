package main

import (
	"regexp"
	"strings"
	"unicode"
)

// pattern is a turn of phrase that other projects hardly ever use.
type pattern struct {
	name  string
	match *regexp.Regexp
	// only is the one kind in which the pattern is counted. Empty means all.
	only kind
	// questions may have it.
	questions bool
	// never is set for mistakes, of which the bar allows none.
	never bool
}

// bar is the allowed number of each pattern in 1,000 words of a kind of text. Comments of other
// projects for Kubernetes, and of storage programs in Go, are below half of it.
const bar = 0.5

var patterns = []pattern{
	{name: "what is", questions: true, match: regexp.MustCompile(
		`(?i)\bwhat (is|are|was|were|has|have|had|it|they|the|a|an|this|that|its|their)\b`)},
	{name: "that of", match: regexp.MustCompile(`(?i)\b(that|those) of\b`)},
	{name: "says", match: regexp.MustCompile(`(?i)\b(say|says|said)\b`)},
	{name: "nobody", match: regexp.MustCompile(`(?i)\b(whoever|somebody|nobody|everybody)\b`)},
	{name: "for ever", match: regexp.MustCompile(
		`(?i)\b(for ever|(is|was) not so|lets? go of|stands? in for|(is|are) begun|(is|are) seen to)\b`)},
	{name: "there is no", only: texts, match: regexp.MustCompile(`(?i)\bthere (is|are|was|were) no\b`)},
	// Clouds return messages with "a Object", which are repeated to the letter.
	{name: "a for an", only: texts, never: true, match: regexp.MustCompile(`\b[Aa] (?:(?:[aei][a-z]|o[^n])[a-z]{2,}|%[qsv])`)},
	{name: "1 of many", only: texts, never: true, match: regexp.MustCompile(`(?:^|[ (])1 [a-z]{3,}s\b`)},
}

// count has the words of a text and, in the order of patterns, the number of each.
type count struct {
	words int
	found []int
}

func newCount() count { return count{found: make([]int, len(patterns))} }

func (c *count) add(other count) {
	c.words += other.words
	for i, found := range other.found {
		c.found[i] += found
	}
}

// rate returns the number of a pattern in 1,000 words.
func (c *count) rate(pattern int) float64 {
	if c.words == 0 {
		return 0
	}
	return float64(c.found[pattern]) * 1000 / float64(c.words)
}

func (c *count) total() int {
	total := 0
	for _, found := range c.found {
		total += found
	}
	return total
}

// sentence matches a sentence with its end.
var sentence = regexp.MustCompile(`(?s)[^.!?]*(?:[.!?]+|$)`)

func countIn(kind kind, passage string) count {
	passage = strings.Join(strings.Fields(passage), " ")
	total := newCount()
	total.words = len(words(passage))
	for _, sentence := range sentence.FindAllString(passage, -1) {
		for i, pattern := range patterns {
			if pattern.only != "" && pattern.only != kind || pattern.questions && strings.HasSuffix(sentence, "?") {
				continue
			}
			total.found[i] += len(pattern.match.FindAllString(sentence, -1))
		}
	}
	return total
}

// words returns the space-separated parts of a text that have a letter.
func words(text string) []string {
	var found []string
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			found = append(found, word)
		}
	}
	return found
}
