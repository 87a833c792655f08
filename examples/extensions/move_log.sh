#!/bin/sh
# Notes each move within a session in the file $MOVES, one line each. In the settings:
#   [[extensions]]
#   command = ["/path/to/move_log.sh"]
read -r initialize # the first message has the id 1
echo '{"jsonrpc":"2.0","id":1,"result":{"name":"move-log","events":["session_tree"]}}'
while read -r event; do
	case $event in *'"method":"session_tree"'*) echo "$(date -u +%FT%TZ) $event" >>"${MOVES:-moves.log}" ;; esac
done
