package contract_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }
