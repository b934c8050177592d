# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh
#
# Commands that see another /etc/sa/config. After test-lib.sh, for a script
# with the prerequisite TMPFS.

# as_operator LINES COMMAND...: where LINES are /etc/sa/config. A copy of /etc
# is what this process alone sees there; the rest of it stays readable.
# shellcheck disable=SC2016,SC2086
as_operator () {
	printf '%s\n' "$1" >operator &&
	shift &&
	mkdir -p etc &&
	map= &&
	{ tl_have_ROOT || map=-r; } &&
	unshare -m $map sh -c '
		mount -t tmpfs tmpfs etc && mkdir etc/sa &&
		cp operator etc/sa/config &&
		for f in ld.so.cache passwd group nsswitch.conf alternatives
		do
			test ! -e "/etc/$f" ||
				cp -R --preserve=mode "/etc/$f" etc/ || exit
		done &&
		mount --bind etc /etc && exec "$@"
	' sh "$@"
}
