package realcluster_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

func TestCluster(t *testing.T) {
	realcluster.Start(t)
}
