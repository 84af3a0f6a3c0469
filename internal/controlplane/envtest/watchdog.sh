# Waits until its standard input ends, then kills the processes of a control
# plane and, if $3 is "remove", removes its directory $1. The process IDs are in
# files in $2. The word "done" on standard input says that there is nothing to do.
dir=$1
run=$2
trap '' HUP INT TERM
if read -r word && [ "$word" = done ]; then
	exit 0
fi
[ -d "$run" ] && touch "$run/orphaned"

# is_ours tells whether process $1 still is one of the control plane's: their
# command lines name the directory, those of other users of the number do not.
is_ours() {
	if [ -r "/proc/$1/cmdline" ]; then
		tr '\0' ' ' <"/proc/$1/cmdline"
	else
		ps -ww -o command= -p "$1"
	fi 2>/dev/null | grep -qF -- "$dir/"
}

tries=0
while [ "$tries" -lt 50 ]; do
	left=no
	for file in "$run"/*.pid; do
		pid=$(cat "$file" 2>/dev/null)
		if [ -n "$pid" ] && is_ours "$pid"; then
			kill -9 "$pid" 2>/dev/null
			left=yes
		fi
	done
	[ "$left" = no ] && break
	tries=$((tries + 1))
	sleep 0.1
done
[ "$3" = remove ] && rm -rf "$dir"
exit 0
