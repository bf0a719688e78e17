#!/bin/sh
# Memory is the users' and stays: .rnix in their projects, ~/.local/share/rnix.
[ ! -d /run/systemd/system ] || systemctl daemon-reload || :
exit 0
