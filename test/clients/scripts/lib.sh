# Runs a case of a client: lib.sh SCRIPT CASE. The script has a function for each case that the client has; $PROGRAM is the client.
set -euo pipefail
script=$1 do=$2

# The headers that are written with an object.
type=text/x-test cache=max-age=60 disposition='attachment; filename="a b.txt"'

# na ends a case that the client cannot do, and says why.
na() { echo -n "$*" >&2; exit 42; }

case_version() { "$PROGRAM" --version; }
. "$script"
declare -F "case_$do" >/dev/null || na
"case_$do"
