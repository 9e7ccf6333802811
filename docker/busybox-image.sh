#!/bin/sh
# Makes a small image for the docker sandbox from this machine's static busybox (Debian: busybox-static),
# without a registry, and prints its id, which PALISADE_DOCKER_IMAGE takes:
#
#     PALISADE_DOCKER_IMAGE=$(docker/busybox-image.sh)
#
# It holds sh, env and the POSIX tools, and nothing else. An image for real agents needs these two as well,
# bash if scripts are written for it, git, a /tmp of mode 1777, and the agents' own programs.
# Arguments are passed on to `docker import`, e.g. --change 'ENV NAME=value'. DOCKER_HOST says where to.
set -eu
busybox=$(command -v busybox)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/usr/bin" "$root/etc" "$root/proc" "$root/sys" "$root/dev"
mkdir -m 1777 "$root/tmp"
cp "$busybox" "$root/bin/busybox"
for tool in $("$busybox" --list); do
  [ "$tool" = busybox ] || ln -s /bin/busybox "$root/bin/$tool"
  ln -s /bin/busybox "$root/usr/bin/$tool"
done
tar -C "$root" --owner=0 --group=0 -cf - . | docker import "$@" - palisade-busybox:1
