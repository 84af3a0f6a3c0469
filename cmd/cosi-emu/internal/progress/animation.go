package progress

import (
	"sync"
	"time"
)

const frameInterval = 100 * time.Millisecond

var frames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// animation calls a function at intervals until it is ended.
type animation struct {
	stop, done chan struct{}
	once       sync.Once
}

// animate calls draw for each frame.
func animate(draw func()) *animation { return every(frameInterval, draw) }

func every(interval time.Duration, draw func()) *animation {
	a := &animation{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				draw()
			case <-a.stop:
				return
			}
		}
	}()
	return a
}

// end stops the drawing of frames. It may be called more than once.
func (a *animation) end() {
	a.once.Do(func() {
		close(a.stop)
		<-a.done
	})
}
