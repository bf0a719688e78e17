#!/bin/sh
# Ends the service, if it is in use, when the package goes; an upgrade leaves it running.
# dpkg says what happens, rpm how many will be left; apk and pacman call this for a
# removal alone.
case ${1-} in upgrade | failed-upgrade | 1) exit 0 ;; esac
if command -v systemctl >/dev/null; then
	systemctl --no-reload disable rnixfs.service 2>/dev/null || :
	systemctl --global disable rnixfs.service 2>/dev/null || :
	[ ! -d /run/systemd/system ] || systemctl stop rnixfs.service || :
fi
if grep -qs ' fuse\.rnix ' /proc/mounts; then
	echo "rnixfs: these mounts go on until they are unmounted (umount):"
	sed -n 's/^\([^ ]* [^ ]*\) fuse\.rnix .*/  \1/p' /proc/mounts
fi
exit 0
