# kill -9 at random moments: the state is as it was before the command, or as it is after it. scripts/kill-state does it more often.
"$SOURCE/scripts/kill-state" "$KANON" 25 1 >log 2>&1 || { cat log; failed "a state did not survive"; }
