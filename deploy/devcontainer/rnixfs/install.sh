#!/bin/sh
# Runs as root when the image of the devcontainer is built.
set -eu
case $(uname -m) in
x86_64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) echo "rnixfs: there is no program for $(uname -m)" >&2; exit 1 ;;
esac
program=$(dirname "$0")/rnixfs-$arch
if [ -n "${URL-}" ]; then
	program=$(mktemp)
	from=$(echo "$URL" | sed "s/ARCH/$arch/g")
	if command -v curl >/dev/null; then curl -fsSL -o "$program" "$from"; else wget -qO "$program" "$from"; fi
fi
[ -s "$program" ] || { echo "rnixfs: copy the program to $program, or set the option url" >&2; exit 1; }
mkdir -p /usr/local/bin /usr/local/share/rnixfs /var/lib/rnixfs
install -m 755 "$program" /usr/local/bin/rnixfs
cat >/usr/local/share/rnixfs/start <<'START'
#!/bin/sh
# Tries the mount, which needs /dev/fuse (runArgs: ["--device=/dev/fuse"]), then goes on
# with the container's own command whatever came of it.
why=$(HOME=/var/lib/rnixfs /usr/local/bin/rnixfs mount --allow-other 2>&1) ||
	echo "rnixfs: nothing is mounted; rnixfs commit, recall and mcp work without. $why" >&2
exec "$@"
START
chmod 755 /usr/local/share/rnixfs/start
rnixfs --version
