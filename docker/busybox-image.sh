#!/bin/sh
# Makes a small image for the docker sandbox from this machine's static busybox (Debian: busybox-static),
# without a registry, and prints its id, which PALISADE_DOCKER_IMAGE takes:
#
#     PALISADE_DOCKER_IMAGE=$(docker/busybox-image.sh)
#
# It holds sh, env and the POSIX tools, and nothing else. More programs of this machine, with the libraries
# they name, are added to /usr/local/bin by
#
#     PALISADE_IMAGE_PROGRAMS="$(command -v git) $(command -v node)" docker/busybox-image.sh
#
# For an image of real agents, with what a registry has, see docker/agent/Dockerfile.
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
mkdir -p "$root/usr/local/bin"
for program in ${PALISADE_IMAGE_PROGRAMS:-}; do
  cp -L "$program" "$root/usr/local/bin/"
  for library in $(ldd "$program" 2>/dev/null | grep -o '/[^ )]*'); do
    [ -e "$root$library" ] && continue
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
  done
done
# Programs made for an older C library ask for parts that are empty by now, and names are resolved by parts that none names.
for library in "$root"/lib*/*/libc.so.6 "$root"/lib*/libc.so.6; do
  [ -e "$library" ] || continue
  for part in librt.so.1 libdl.so.2 libpthread.so.0 libutil.so.1 libm.so.6 libresolv.so.2 libnss_files.so.2 libnss_dns.so.2; do
    there="${library#"$root"}"
    there="${there%/*}/$part"
    [ -e "$root$there" ] || [ ! -e "$there" ] || cp -L "$there" "$root$there"
  done
done
tar -C "$root" --owner=0 --group=0 -cf - . | docker import "$@" - palisade-busybox:1
