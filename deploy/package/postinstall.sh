#!/bin/sh
# Starts nothing. What runs goes on with the version that it was started from.
[ ! -d /run/systemd/system ] || systemctl daemon-reload || :
if grep -qs ' fuse\.rnix ' /proc/mounts; then
	echo "rnixfs: what is mounted goes on with the old version until it is mounted anew:"
	echo "  systemctl [--user] restart rnixfs, or rnixfs umount and rnixfs mount"
fi
exit 0
