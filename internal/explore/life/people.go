package life

import (
	"fmt"
	"slices"
	"strings"
)

var (
	claimNames  = []string{"photos", "logs", "models", "films"}
	accessNames = []string{"app", "job", "reader", "batch"}
)

// existingName is the name of the claim for an existing bucket.
const existingName = "archive"

// claim makes a claim, of a class or of an existing bucket.
func (l *life) claim() bool {
	if !l.existing && !l.plain && l.chance(8) {
		l.existing = true
		l.add(`backend: {createBucket: "old-${scope}"}`)
		c := &claim{name: existingName, existing: true}
		objects := []string{l.kinds.existingBucket, c.text()}
		if l.chance(2) {
			slices.Reverse(objects)
		}
		for _, o := range objects {
			l.add("apply: %s", o)
		}
		l.claims = append(l.claims, c)
		return true
	}
	free := slices.DeleteFunc(slices.Clone(claimNames), func(name string) bool { return l.claimOf(name) != nil })
	if len(free) == 0 {
		return false
	}
	c := &claim{name: pick(l, free), class: l.class()}
	l.claims = append(l.claims, c)
	l.add("apply: %s", c.text())
	return true
}

// access makes an access to one or two claims, which may come later.
func (l *life) access() bool {
	free := slices.DeleteFunc(slices.Clone(accessNames), func(name string) bool {
		return slices.ContainsFunc(l.accesses, func(a *access) bool { return a.name == name })
	})
	if len(free) == 0 || len(l.claims) == 0 {
		return false
	}
	a := &access{name: pick(l, free), class: l.grant()}
	names := slices.Clone(claimNames[:2])
	for _, c := range l.claims {
		names = append(names, c.name)
	}
	number := 1
	if l.kinds.severalClaims && !l.plain && l.chance(3) {
		number = 2
	}
	for range number {
		if name := pick(l, names); !a.usesClaim(name) {
			a.uses = append(a.uses, use{claim: name, mode: l.mode()})
		}
	}
	a.unclear = !l.grantable(a)
	l.accesses = append(l.accesses, a)
	l.add("apply: %s", l.kinds.access(a))
	return true
}

func (l *life) mode() string {
	if l.plain {
		return readWrite
	}
	return pick(l, l.kinds.modes)
}

// grantable reports whether an access must be granted in the end, if nothing is deleted.
func (l *life) grantable(a *access) bool {
	if len(a.uses) > 1 && !a.class.several {
		return false
	}
	for _, u := range a.uses {
		c := l.claimOf(u.claim)
		if c == nil || c.deleted || c.class.driver != a.class.driver || !a.class.allows(u.mode) {
			return false
		}
	}
	return true
}

func (l *life) claimOf(name string) *claim {
	at := slices.IndexFunc(l.claims, func(c *claim) bool { return c.name == name })
	if at < 0 {
		return nil
	}
	return l.claims[at]
}

func (l *life) deleteAccess() bool {
	there := slices.DeleteFunc(slices.Clone(l.accesses), func(a *access) bool { return a.deleted })
	if len(there) == 0 {
		return false
	}
	a := pick(l, there)
	a.deleted = true
	l.add("delete: BucketAccess/%s", a.name)
	return true
}

// deleteClaim deletes a claim, also while accesses use it. Accesses that are not granted yet may never be granted.
func (l *life) deleteClaim() bool {
	there := slices.DeleteFunc(slices.Clone(l.claims), func(c *claim) bool { return c.deleted })
	if len(there) == 0 {
		return false
	}
	c := pick(l, there)
	if c.ready && c.class.retained && c.variable == "" {
		l.remember(c)
	}
	c.deleted = true
	for _, a := range l.accesses {
		if a.usesClaim(c.name) && !a.ready {
			a.unclear = true
		}
	}
	l.add("delete: BucketClaim/%s", c.name)
	return true
}

// remember stores a ready claim in a variable, so that later steps know the name of its Bucket.
func (l *life) remember(c *claim) {
	c.variable = fmt.Sprintf("%s%d", c.name, len(l.steps))
	l.startAll()
	l.add("expect: {BucketClaim/%s: %s}\n  as: %s", c.name, l.kinds.readyClaim, c.variable)
}

// await waits until all objects are in the states that they must reach.
func (l *life) await() bool {
	l.startAll()
	wants := append(l.awaitAccesses(), l.awaitClaims()...)
	if len(wants) == 0 {
		return false
	}
	l.add("expect: {%s}", strings.Join(wants, ", "))
	return true
}

// awaitAccesses returns the expected states of accesses, and frees the names of deleted ones.
func (l *life) awaitAccesses() (wants []string) {
	for _, a := range l.accesses {
		switch {
		case a.deleted:
			wants = append(wants, fmt.Sprintf("BucketAccess/%s: absent", a.name))
			for _, u := range a.uses {
				wants = append(wants, fmt.Sprintf("Secret/%s: absent", a.secret(u)))
			}
		case !a.unclear:
			a.ready = true
			wants = append(wants, l.readyAccess(a)...)
		}
	}
	l.accesses = slices.DeleteFunc(l.accesses, func(a *access) bool { return a.deleted })
	return wants
}

// awaitClaims returns the expected states of claims, and frees the names of deleted ones that no access uses.
func (l *life) awaitClaims() (wants []string) {
	l.claims = slices.DeleteFunc(l.claims, func(c *claim) bool {
		switch {
		case !c.deleted:
			c.ready = true
			wants = append(wants, fmt.Sprintf("BucketClaim/%s: %s", c.name, l.kinds.readyClaim))
			return false
		case slices.ContainsFunc(l.accesses, func(a *access) bool { return a.usesClaim(c.name) }):
			return false
		}
		wants = append(wants, fmt.Sprintf("BucketClaim/%s: absent", c.name))
		if c.variable != "" && c.class.retained && l.kinds.releasesBuckets {
			l.released = append(l.released, c.variable)
		}
		return true
	})
	return wants
}

func (l *life) readyAccess(a *access) []string {
	wants := []string{fmt.Sprintf("BucketAccess/%s: %s", a.name, l.kinds.grantedAccess)}
	for _, u := range a.uses {
		wants = append(wants, fmt.Sprintf("Secret/%s: %s", a.secret(u), l.kinds.wholeSecret))
	}
	return wants
}

// usable returns the accesses that keep working: they must be granted, and no claim of theirs leaves.
func (l *life) usable() []*access {
	return slices.DeleteFunc(slices.Clone(l.accesses), func(a *access) bool {
		return a.deleted || a.unclear || slices.ContainsFunc(a.uses, func(u use) bool {
			c := l.claimOf(u.claim)
			return c == nil || c.deleted
		})
	})
}

// work uses a bucket as an application does, with the rights of its access.
func (l *life) work() bool {
	can := slices.DeleteFunc(l.usable(), func(a *access) bool { return a.class.serviceAccount != "" })
	if len(can) == 0 || l.plain {
		return false
	}
	a := pick(l, can)
	l.startAll()
	a.ready = true
	l.add("expect: {%s}", strings.Join(l.readyAccess(a), ", "))
	u := pick(l, a.uses)
	secret, key := a.secret(u), fmt.Sprintf("k%d", l.random.IntN(3))
	if u.mode != readOnly {
		l.add("s3: {secret: %s, put: %s, content: c%d}", secret, key, len(l.steps))
	}
	if u.mode != writeOnly {
		l.add(`s3: {secret: %s, list: ""}`, secret)
	}
	if c := l.claimOf(u.claim); u.mode != readOnly && !c.full {
		if c.full = c.class.retained && l.chance(2); !c.full {
			l.add("s3: {secret: %s, delete: %s}", secret, key)
		}
	}
	return true
}

// loseSecret has a person delete or damage the Secret of a granted access. COSI restores it.
func (l *life) loseSecret() bool {
	can := slices.DeleteFunc(l.usable(), func(a *access) bool { return !a.ready })
	if len(can) == 0 || !l.kinds.restoresSecrets {
		return false
	}
	a := pick(l, can)
	secret := a.secret(pick(l, a.uses))
	l.startAll()
	l.add("expect: {Secret/%s: %s}", secret, l.kinds.wholeSecret)
	if l.chance(2) {
		l.add("delete: Secret/%s", secret)
	} else {
		l.add("patch: {Secret/%s: {data: {BUCKET_NAME: null}}}", secret)
	}
	return true
}

// changePolicy has an administrator change the policy of a claim's Bucket.
func (l *life) changePolicy() bool {
	can := slices.DeleteFunc(slices.Clone(l.claims), func(c *claim) bool { return c.deleted || c.existing || c.full || !c.ready })
	if len(can) == 0 {
		return false
	}
	c := pick(l, can)
	if c.variable == "" {
		l.remember(c)
	}
	c.class.retained = !c.class.retained
	l.add(`patch: {"%s": {spec: {deletionPolicy: %s}}}`, l.kinds.bucketOf(c.variable), c.class.policy())
	return true
}

// deleteReleased has an administrator delete a Bucket that has outlived its claim.
func (l *life) deleteReleased() bool {
	if len(l.released) == 0 {
		return false
	}
	at := l.random.IntN(len(l.released))
	bucket := l.kinds.bucketOf(l.released[at])
	l.released = slices.Delete(l.released, at, at+1)
	l.startAll()
	l.add(`delete: "%s"`, bucket)
	l.add(`expect: {"%s": absent}`, bucket)
	return true
}
