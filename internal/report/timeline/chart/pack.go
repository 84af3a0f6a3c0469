package chart

import (
	"slices"
	"unicode/utf8"
)

// The layout has a width of nominalWidth pixels, and is never shown narrower; a wider one has more
// room.
const (
	nominalWidth = 900
	letterWidth  = 6 // average width of a letter in labels
	labelGap     = 4
	minMark      = 4
)

func textWidth(text string) float64 { return letterWidth * float64(utf8.RuneCountInString(text)) }

// item is something to be put into rows, with places in pixels.
type item struct {
	from, to float64
	label    string

	row    int
	shown  bool // whether the label fits
	inside bool // whether it is in the bar, and not behind it
}

// pack puts items, by their beginning, into as few rows as show them without overlap. If maxRows
// are not enough, it hides labels first, and then lets items overlap. It returns the number of
// rows.
func pack(items []*item, maxRows int) int {
	var rows []*item // the last of each
	defer hideOverlapping(items)
	for _, next := range items {
		next.to = max(next.to, next.from+minMark)
		next.shown = next.label != ""
		next.inside = next.to-next.from >= textWidth(next.label)+2*labelGap
		next.row = rowFor(rows, next, maxRows)
		if next.row == len(rows) {
			rows = append(rows, next)
			continue
		}
		if before := rows[next.row]; before.end() > next.from && !before.inside {
			before.shown = false
		}
		rows[next.row] = next
	}
	return len(rows)
}

// hideOverlapping hides each label that begins before the shown one to its left ends, and each
// label inside a bar that another bar covers.
func hideOverlapping(items []*item) {
	ends := map[int]float64{} // of labels, by row
	last := map[int]*item{}
	for _, next := range items {
		if before := last[next.row]; before != nil && before.shown && before.inside && before.labelEnd() > next.from {
			before.shown = false
		}
		last[next.row] = next
		if next.shown && next.labelStart() < ends[next.row] {
			next.shown = false
		}
		if next.shown {
			ends[next.row] = next.labelEnd()
		}
	}
}

func (i *item) labelStart() float64 {
	if i.inside {
		return i.from + labelGap
	}
	return i.to + labelGap
}

func (i *item) labelEnd() float64 { return i.labelStart() + textWidth(i.label) }

// end is the end of the item with its label.
func (i *item) end() float64 {
	if !i.shown || i.inside {
		return i.to + 1
	}
	return i.to + 2*labelGap + textWidth(i.label)
}

func rowFor(rows []*item, next *item, maxRows int) int {
	free := slices.IndexFunc(rows, func(last *item) bool { return last.end() <= next.from })
	switch {
	case free >= 0:
		return free
	case len(rows) < maxRows:
		return len(rows)
	}
	earliest := 0
	for i, last := range rows {
		if last.to < rows[earliest].to {
			earliest = i
		}
	}
	return earliest
}
