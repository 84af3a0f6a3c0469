package service

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

const maxPort = 65535

// Ports are the TCP ports that a user wants for services; 0 means a free one.
type Ports map[fakedriver.Protocol]int

// Validate rejects a number that is no port.
func (p Ports) Validate() error {
	for _, s := range All() {
		if err := ValidatePort(s.Protocol().String(), p[s.Protocol()]); err != nil {
			return err
		}
	}
	return nil
}

// ValidatePort rejects a number that is no port of a server.
func ValidatePort(server string, port int) error {
	if port < 0 || port > maxPort {
		return fmt.Errorf("the %s port %d is not between 0 and %d", server, port, maxPort)
	}
	return nil
}

// ValidateFor rejects the port of a service that protocols do not enable.
func (p Ports) ValidateFor(protocols []fakedriver.Protocol) error {
	for _, s := range others {
		if protocol := s.Protocol(); p[protocol] != 0 && !slices.Contains(protocols, protocol) {
			return fmt.Errorf("there is %s port, but %s is not among the protocols", withArticle(protocol.String()), protocol)
		}
	}
	return nil
}

// Others reports whether a service besides S3 has a port.
func (p Ports) Others() bool {
	return slices.ContainsFunc(others, func(s Service) bool { return p[s.Protocol()] != 0 })
}

func withArticle(name string) string {
	if strings.ContainsAny(name[:1], "AEIOU") {
		return "an " + name
	}
	return "a " + name
}
