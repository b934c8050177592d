#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='sa-conn save: fields, masters, origins'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

test_expect_success jq 'only a name is needed, the master is yarn' '
	sa-conn save prod >out 2>err &&
	test_empty err &&
	jq_ok ".v == 1 and .type == \"connection\" and .name == \"prod\"" out &&
	jq_ok ".master == \"yarn\" and .spark_conf == {}" out &&
	test -f data/connections/prod.json &&
	jq -c . data/connections/prod.json >stored &&
	test_cmp stored out
'

for master in yarn local "local[1]" "local[*]" "local[4,2]" "local[*,3]" \
	spark://10.0.0.5:7077 spark://a:7077,b.example.org:7078 \
	"spark://[::1]:7077" k8s://https://10.0.0.1:6443 k8s://cluster \
	k8s://http://h:80/path
do
	test_expect_success jq "master $master passes" '
		sa-conn save m --master "$master" >out &&
		jq_ok ".master == \$m" out --arg m "$master"
	'
done

for master in yarn-cluster yarn-client YARN http://rm:8088 https://rm:8088 \
	"" " " "yarn " -yarn "local[0]" "local[]" "local[2" "local[2,0]" \
	"local[2, 3]" "local-cluster[2,1,1024]" locals sparkle spark:// \
	spark://h spark://h:0 spark://h:65536 "spark://h:7077," \
	spark://u@h:7077 mesos://h:5050 sc://h:15002 k8s:// k8s://ftp://h \
	"k8s://h?x" "yarn
"
do
	test_expect_success jq "master '$master' is refused" '
		sa-conn save kept --master local >/dev/null &&
		test_expect_code 65 sa-conn save kept --master="$master" \
			>out 2>err &&
		test_empty out &&
		test_match "^sa-conn: .*master .* *" err &&
		test "$(wc -l <err)" -eq 1 &&
		sa-conn show kept >out &&
		jq_ok ".master == \"local\"" out
	'
done

test_done
