package life

import "slices"

const controller = "controller"

// drivers returns the names of the drivers, and of their sidecars in the same order.
func (l *life) drivers() (drivers, sidecars []string) {
	if !l.twoDrivers {
		return []string{"driver"}, []string{"sidecar"}
	}
	return []string{`"driver.${drivers.one}"`, `"driver.${drivers.two}"`}, []string{`"sidecar.${drivers.one}"`, `"sidecar.${drivers.two}"`}
}

// running returns the components that can stop or restart. A sidecar does not start without its driver.
func (l *life) running() []string {
	drivers, sidecars := l.drivers()
	all := []string{controller}
	for i, driver := range drivers {
		switch {
		case l.plain:
			all = append(all, sidecars[i])
		case !slices.Contains(l.stopped, driver):
			all = append(all, driver, sidecars[i])
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(l.stopped, name) })
}

// restart crashes a component, or restarts it.
func (l *life) restart() bool {
	running := l.running()
	if len(running) == 0 {
		return false
	}
	l.add("%s: %s", pick(l, []string{"crash", "restart"}), pick(l, running))
	return true
}

// stop stops a component. It starts again at the latest before a step that waits.
func (l *life) stop() bool {
	running := l.running()
	if len(running) == 0 {
		return false
	}
	name := pick(l, running)
	l.stopped = append(l.stopped, name)
	l.add("stop: %s", name)
	return true
}

func (l *life) start() bool {
	if len(l.stopped) == 0 {
		return false
	}
	l.startAll()
	return true
}

// startAll starts the stopped components in reverse order, so that a driver runs before its sidecar.
func (l *life) startAll() {
	for _, name := range slices.Backward(l.stopped) {
		l.add("start: %s", name)
	}
	l.stopped = nil
}
