# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2154
#
# A host with users of its own: agent, as whom models and their clients run,
# and ada, who reviews; the rest of it is this one. After test-lib.sh.
#
#	make_host		or skip_all; what its users can write is srv
#				and each one's home/NAME
#	on_host USER COMMAND	as that user, with that user's home, groups
#				and /etc, and without a data directory named
#	say_host PAGE WORD	the block of a page's commands whose comment
#				has WORD in it, with srv for /srv
#
# The /etc of that host is the directory etc, which stays from command to
# command. on-host is on_host as a program.

make_host () {
	test_have_prereq ROOT,TMPFS,setpriv,groupadd,gpasswd ||
		skip_all "no $tl_missing"
	mkdir -p etc srv bin home/agent home/ada || tl_fatal 'no host'
	for hl_file in ld.so.cache passwd group login.defs nsswitch.conf \
		alternatives
	do
		test ! -e "/etc/$hl_file" ||
			cp -R --preserve=mode "/etc/$hl_file" etc/ ||
			tl_fatal "/etc/$hl_file: cannot be copied"
	done
	for hl_user in agent:64001 ada:64002
	do
		hl_id=${hl_user#*:}
		hl_user=${hl_user%:*}
		sed -i "/^$hl_user:/d" etc/passwd etc/group &&
		echo "$hl_user:x:$hl_id:$hl_id::$PWD/home/$hl_user:/bin/sh" \
			>>etc/passwd &&
		echo "$hl_user:x:$hl_id:" >>etc/group &&
		chown "$hl_id:$hl_id" "home/$hl_user" ||
			tl_fatal "no user $hl_user"
	done
	sed -i '/^sa-/d' etc/group || tl_fatal 'no groups'
	# the build may be where only root can go
	for hl_name in $SA_COMMANDS sa-supervise t/in-terminal
	do
		cp "$SA_BUILDDIR/$hl_name" bin/ || tl_fatal "no $hl_name"
	done
	hl_gcov=$tl_dir/gcov
	mkdir "$hl_gcov" && chmod 1777 "$hl_gcov" || tl_fatal 'no directory'
	cat >on-host <<-SH && chmod +x on-host || tl_fatal 'no on-host'
	#!/bin/sh
	exec unshare -m sh -c '
		mount --bind "\$1" /etc && shift && exec "\$@"
	' sh "$PWD/etc" "$PWD/on-host.user" "\$@"
	SH
	cat >on-host.user <<-SH && chmod +x on-host.user || tl_fatal 'no user'
	#!/bin/sh
	user=\$1
	shift
	HOME=\$(getent passwd "\$user" | cut -d : -f 6)
	PATH=$PWD/bin:$PATH
	GCOV_PREFIX=$hl_gcov
	export HOME PATH GCOV_PREFIX
	unset XDG_CONFIG_HOME XDG_CACHE_HOME SPARK_EXECUTOR_DATA_DIR TMPDIR
	exec setpriv --reuid "\$(id -u "\$user")" \\
		--regid "\$(id -g "\$user")" --init-groups "\$@"
	SH
}

on_host () {
	"$PWD/on-host" "$@"
}

say_host () {
	awk -v word="$2" '
	/^(\.\\" |<!-- )no test/ { armed = index($0, word) ? NR : 0 }
	/^\.Bd -literal/ || /^```sh$/ {
		inside = armed && armed == NR - 1
		next
	}
	/^\.Ed/ || /^```/ { inside = 0 }
	inside
	' "$1" | sed -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\(ti/~/g' \
		-e 's/\\-/-/g' -e 's/\\&//g' -e 's/\\e/\\/g' \
		-e "s,/srv,$PWD/srv,g"
}
