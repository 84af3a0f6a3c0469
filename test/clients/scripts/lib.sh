# What the scripts of the shell have in common. Each has a function for a case; $PROGRAM is the client.
set -euo pipefail

# na ends a case that the client cannot do, and says why.
na() { echo -n "$*" >&2; exit 42; }

# run runs the case, which the client does not have if there is no function.
run() {
    declare -F "case_$1" >/dev/null || na
    "case_$1"
}
