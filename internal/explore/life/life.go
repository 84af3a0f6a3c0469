package life

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// A life has between least and most actions.
const (
	least = 4
	most  = 16

	driversRarity = 4 // one in four lives has two drivers, which take time to start
)

// Name returns the name of the scenario of a seed.
func Name(version objectstorage.Version, seed uint64) string {
	if version == objectstorage.V1alpha1 {
		return fmt.Sprintf("v1alpha1-life-%d", seed)
	}
	return fmt.Sprintf("life-%d", seed)
}

// Options select a life. The same options give the same text.
type Options struct {
	Version objectstorage.Version
	Seed    uint64
	// Plain limits a life to features that every driver of every dialect has: accesses with a key for one claim, to read and to write,
	// without requests to the store. It has one driver, which keeps running.
	Plain bool
}

// Generate returns the scenario of a life.
func Generate(opts Options) []byte {
	l := &life{kinds: kindsOf(opts.Version), plain: opts.Plain, random: rand.New(rand.NewPCG(opts.Seed, 0))} //nolint:gosec // it is no secret
	l.twoDrivers = l.chance(driversRarity) && !l.plain
	for range least + l.random.IntN(most-least+1) {
		l.act()
	}
	l.end()
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: %s\n", Name(opts.Version, opts.Seed))
	b.WriteString("description: A random life of claims and accesses.\n")
	b.WriteString(l.setup())
	b.WriteString("steps:\n")
	for _, step := range l.steps {
		fmt.Fprintf(&b, "- %s\n", step)
	}
	return []byte(b.String())
}

// life is the state of a scenario while it is generated.
type life struct {
	kinds   kinds
	random  *rand.Rand
	steps   []string
	classes []class // that claims use
	grants  []grant // that accesses use

	plain      bool
	twoDrivers bool
	claims     []*claim
	accesses   []*access
	released   []string // Buckets that outlive their claims, by the variable that has their claim
	stopped    []string
	existing   bool // the existing bucket was used
}

// claim is a BucketClaim. It is dropped when its name is free.
type claim struct {
	name     string
	class    class
	ready    bool // it has been
	deleted  bool
	existing bool
	full     bool   // its bucket has objects, so that a driver may reject its deletion
	variable string // variable of the scenario with the claim; may be empty
}

// access is a BucketAccess. It is dropped when its name is free.
type access struct {
	name    string
	class   grant
	uses    []use
	ready   bool // it has been
	unclear bool // it may never be granted
	deleted bool
}

// use is the use of one claim by an access.
type use struct {
	claim, mode string
}

func (a *access) secret(u use) string { return a.name + "-" + u.claim }

func (a *access) usesClaim(name string) bool {
	return slices.ContainsFunc(a.uses, func(u use) bool { return u.claim == name })
}

// setup returns the drivers, and the classes that objects use.
func (l *life) setup() string {
	var b strings.Builder
	b.WriteString(l.kinds.version)
	if l.twoDrivers {
		b.WriteString("  drivers: [{name: one}, {name: " + otherDriver + "}]\n")
	}
	writeList(&b, "classes", l.classes)
	writeList(&b, "accessClasses", l.grants)
	if b.Len() == 0 {
		return ""
	}
	return "setup:\n" + b.String()
}

func writeList[T interface{ text() string }](b *strings.Builder, field string, items []T) {
	if len(items) > 0 {
		fmt.Fprintf(b, "  %s:\n", field)
	}
	for _, item := range items {
		fmt.Fprintf(b, "  - %s\n", item.text())
	}
}

// class draws a class for a claim.
func (l *life) class() class {
	all := classes()
	if l.twoDrivers {
		all = append(all, class{name: otherDriver, driver: otherDriver})
	}
	drawn := pick(l, all)
	if !slices.Contains(l.classes, drawn) {
		l.classes = append(l.classes, drawn)
	}
	return drawn
}

// grant draws a class for an access.
func (l *life) grant() grant {
	all := slices.Clone(l.kinds.grants)
	if l.plain {
		all = all[:1]
	}
	if l.twoDrivers {
		all = append(all, grant{name: otherDriver, driver: otherDriver})
	}
	drawn := pick(l, all)
	if !slices.ContainsFunc(l.grants, func(g grant) bool { return g.name == drawn.name }) {
		l.grants = append(l.grants, drawn)
		if drawn.serviceAccount != "" {
			l.add("apply: {kind: ServiceAccount, metadata: {name: %s}}", serviceAccount)
		}
	}
	return drawn
}

// add adds a step.
func (l *life) add(format string, args ...any) {
	l.steps = append(l.steps, fmt.Sprintf(format, args...))
}

// chance is true in one of n cases.
func (l *life) chance(n int) bool { return l.random.IntN(n) == 0 }

func pick[T any](l *life, some []T) T { return some[l.random.IntN(len(some))] }

// action adds steps, if it is possible at the moment.
type action struct {
	weight int
	act    func(*life) bool
}

// actions returns the actions. With these weights, most actions do not wait for the previous one.
func actions() []action {
	return []action{
		{8, (*life).claim},
		{8, (*life).access},
		{3, (*life).deleteAccess},
		{3, (*life).deleteClaim},
		{3, (*life).await},
		{4, (*life).work},
		{2, (*life).loseSecret},
		{2, (*life).changePolicy},
		{6, (*life).deleteReleased},
		{3, (*life).restart},
		{2, (*life).stop},
		{2, (*life).start},
		{1, (*life).rest},
	}
}

// act adds one possible action. A claim is always possible at first.
func (l *life) act() {
	all := actions()
	sum := 0
	for _, a := range all {
		sum += a.weight
	}
	for {
		at := l.random.IntN(sum)
		for _, a := range all {
			if at -= a.weight; at >= 0 {
				continue
			}
			if a.act(l) {
				return
			}
			break
		}
	}
}

// end ends a life: mostly everything is deleted, and sometimes everything stays.
func (l *life) end() {
	l.startAll()
	if l.chance(3) {
		l.await()
		l.rest()
		return
	}
	for slices.ContainsFunc(l.accesses, func(a *access) bool { return !a.deleted }) {
		l.deleteAccess()
	}
	for slices.ContainsFunc(l.claims, func(c *claim) bool { return !c.deleted }) {
		l.deleteClaim()
	}
	l.await()
	l.rest()
}

func (l *life) rest() bool {
	if len(l.stopped) > 0 || len(l.steps) == 0 {
		return false
	}
	l.add("settle:")
	return true
}
