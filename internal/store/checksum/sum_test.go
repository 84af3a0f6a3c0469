package checksum_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

func sumOf(t *testing.T, a checksum.Algorithm, content string) checksum.Sum {
	t.Helper()
	d := checksum.New(a)
	if _, err := d.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	return d.Checksum()
}

// TestSum writes every kind of checksum in every form and reads it back.
func TestSum(t *testing.T) {
	for _, a := range checksum.All() {
		t.Run(a.String(), func(t *testing.T) {
			whole := sumOf(t, a, "123456789")
			parts := checksum.OfParts(a, []checksum.Sum{sumOf(t, a, "1234"), sumOf(t, a, "56789")})
			if whole == parts || whole.IsComposite() || !parts.IsComposite() || whole.IsZero() {
				t.Errorf("the checksums are %+v of the whole and %+v of parts", whole, parts)
			}
			if whole.Type() != "FULL_OBJECT" || parts.Type() != "COMPOSITE" {
				t.Errorf("the types are %s of the whole and %s of parts", whole.Type(), parts.Type())
			}
			for _, sum := range []checksum.Sum{whole, parts, {}} {
				checkForms(t, sum)
			}
			if sumOf(t, a, "12345678x") == whole {
				t.Error("another content has the same checksum")
			}
		})
	}
}

func checkForms(t *testing.T, sum checksum.Sum) {
	t.Helper()
	if got, err := checksum.Parse(sum.Algorithm, sum.String()); !sum.IsZero() && (got != sum || err != nil) {
		t.Errorf("Parse(%q) = %+v, %v; want %+v", sum, got, err, sum)
	}
	document, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	got := sumOf(t, checksum.CRC32, "something else")
	if err := json.Unmarshal(document, &got); err != nil || got != sum {
		t.Errorf("%s is read as %+v, %v; want %+v", document, got, err, sum)
	}
}

// The example of a composite checksum in S3's documentation.
func TestOfParts(t *testing.T) {
	// "hello" and " world", computed with Python's hashlib.
	const want = "wpQQjqgKlhF49FQdoVTheIiiSjfvtKR+G5kBEF28Vf0=-2"
	parts := []checksum.Sum{sumOf(t, checksum.SHA256, "hello"), sumOf(t, checksum.SHA256, " world")}
	if got := checksum.OfParts(checksum.SHA256, parts).String(); got != want {
		t.Errorf("OfParts() = %s, want %s", got, want)
	}
}

// TestKnown compares digests with values from their specifications.
func TestKnown(t *testing.T) {
	const check = "123456789"
	tests := map[checksum.Algorithm]struct{ content, want string }{
		checksum.CRC32: {check, "cbf43926"}, checksum.CRC32C: {check, "e3069283"}, checksum.CRC64NVME: {check, "ae8b14860a799888"},
		checksum.MD5: {"", "d41d8cd98f00b204e9800998ecf8427e"}, checksum.XXHASH64: {"", "ef46db3751d8e999"},
		checksum.XXHASH3: {"", "2d06800538d394c2"}, checksum.XXHASH128: {"", "99aa06d3014798d86001c324468d497f"},
	}
	for a, tc := range tests {
		value, err := hex.DecodeString(tc.want)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := sumOf(t, a, tc.content).String(), base64.StdEncoding.EncodeToString(value); got != want {
			t.Errorf("%s of %q = %s, want %s", a, tc.content, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	const good = "y/Q5Jg=="
	tests := map[string]struct {
		reason    string
		algorithm checksum.Algorithm
		text      string
		ok        bool
	}{
		"Whole":        {"as clients send it", checksum.CRC32, good, true},
		"Parts":        {"of two", checksum.CRC32, good + "-2", true},
		"NoParts":      {"there is none that has no parts", checksum.CRC32, good + "-0", false},
		"Negative":     {"or fewer", checksum.CRC32, good + "--1", false},
		"NotANumber":   {"nor any other number", checksum.CRC32, good + "-x", false},
		"TooMany":      {"nor so many", checksum.CRC32, good + "-99999999999", false},
		"Short":        {"a byte is missing", checksum.CRC32, "y/Q5", false},
		"Long":         {"as long as another algorithm's", checksum.CRC32, "rosUhgp5mIg=", false},
		"Unpadded":     {"it is not base64", checksum.CRC32, "y/Q5Jg", false},
		"URLAlphabet":  {"nor this", checksum.CRC32, "y_Q5Jg==", false},
		"Empty":        {"nothing is nothing", checksum.CRC32, "", false},
		"NoAlgorithm":  {"without algorithm there is none", checksum.None, "", false},
		"NoAlgorithm2": {"whatever it says", checksum.None, good, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := checksum.Parse(tc.algorithm, tc.text); (err == nil) != tc.ok {
				t.Errorf("%s: Parse(%s, %q) = %+v, %v", tc.reason, tc.algorithm, tc.text, got, err)
			}
		})
	}
}

func TestUnmarshalDamaged(t *testing.T) {
	for _, text := range []string{"x", "CRC32", "CRC32:", "MD9:y/Q5Jg==", ":y/Q5Jg==", "SHA256:y/Q5Jg=="} {
		var sum checksum.Sum
		if err := sum.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %+v", text, sum)
		}
	}
}
