#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='sa-yarn: jobs on standalone clusters'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"
for tool in jq python3
do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
. "$SA_SRCDIR/t/run-lib.sh"
fake_spark
sa-conn list >/dev/null

# master NAME [OPTION...]: one that says what the file NAME does; its port to
# NAME.port
master () {
	python3 "$SA_SRCDIR/t/fake-master.py" --parent $$ \
		--log "$1.asked" "$@" >"$1.port" 2>"$1.err" </dev/null &
	echo $! >>"$TMPDIR/pids"
	wait_for test -s "$1.port" || tl_fatal "no fake-master.py"
}

says () {
	jq -n "{page: {status: \"ALIVE\", workers: [], activeapps: [],
		completedapps: [], activedrivers: [], completeddrivers: []}} |
		$1" >.new && mv .new "${2:-one}"
}
says .
master one
port=$(cat one.port)
for mode in client cluster
do
	sa-conn save "$mode" --master spark://127.0.0.1:7077 \
		--deploy-mode "$mode" --conf "spark.master.ui.port=$port" \
		--conf "spark.master.rest.port=$port" >/dev/null
done
echo 'print(1)' >x.py
id='driver-20261129205934-0000'
taken="{action: \"CreateSubmissionResponse\", success: true,
	submissionId: \"$id\"}"

# state WORD: of the driver
driver_is () {
	says ".status = {action: \"SubmissionStatusResponse\", success: true,
		driverState: \"$1\", submissionId: \"$id\"}"
}

submit () {
	sa-prepare -c cluster "$@" x.py >pending.json &&
	sa-confirm --yes <pending.json >job.json && submitted
}

submitted () {
	job=$(jq -r .job_id job.json) &&
	run=$SPARK_EXECUTOR_DATA_DIR/runs/$job
}

is () {
	sa-yarn status "$job" >now &&
	jq_ok ".state == \$s and (${2:-true})" now --arg s "$1"
}

test_expect_success 'a driver by REST: submitted once, with its arguments' '
	says ".create = $taken" && submit && driver_is SUBMITTED &&
	jq_ok ".application_id == \"$id\"" job.json &&
	jq -s "[.[] | select(.path | endswith(\"/create\"))]" one.asked \
		>asked && jq_ok "length == 1" asked &&
	jq_ok ".[0].body | fromjson | .appResource == \"\" and
		.mainClass == \"org.apache.spark.deploy.SparkSubmit\" and
		.sparkProperties[\"spark.driver.supervise\"] == \"false\" and
		(.appArgs[:4] == [\"--master\", \"spark://127.0.0.1:7077\",
		\"--deploy-mode\", \"client\"]) and
		(.appArgs[-1] | endswith(\"/script/x.py\"))" asked
'

test_expect_success 'its states' '
	submitted && driver_is RUNNING && is RUNNING &&
	driver_is RELAUNCHING && is ACCEPTED &&
	driver_is UNKNOWN && is ACCEPTED ".yarn_state == \"UNKNOWN\"" &&
	driver_is ERROR && is FAILED
'

test_expect_success 'an answer that is lost: LOST, with those it could be' '
	says ".create = null | .page.activedrivers = [{id: \"$id\",
		state: \"RUNNING\", starttime: \"4102444800000\",
		mainclass: \"org.apache.spark.deploy.SparkSubmit\"}]" &&
	: >one.asked && submit &&
	wait_for test -e "$run/exit.json" &&
	sa-yarn status --reconcile --grace-seconds 0 "$job" >now &&
	jq_ok ".state == \"LOST\" and
		(.diagnostics | test(\"$id \\\\(RUNNING\\\\)\"))" now &&
	jq -s "[.[] | select(.path | endswith(\"/create\"))]" one.asked \
		>asked && jq_ok "length == 1" asked
'

test_expect_success 'a master that refuses: FAILED, with its words' '
	says ".create = {action: \"CreateSubmissionResponse\",
		success: false, message: \"no room\"}" && submit &&
	wait_for test -e "$run/exit.json" &&
	sa-yarn status --reconcile --grace-seconds 0 "$job" >now &&
	jq_ok ".state == \"FAILED\"" now && test_match "no room" "$run/stderr"
'

test_expect_success 'a driver that is not the job'\''s: 77, but by --force' '
	new_run "{master: \"spark://127.0.0.1:7077\", connection: \"cluster\",
		deploy_mode: \"cluster\", application_id: \"driver-1\",
		state: \"RUNNING\"}" && driver_is RUNNING && : >one.asked &&
	for id in "$id" driver-2
	do
		echo "{\"job_id\":\"$job\",\"application\":\"$id\"}" >in &&
		test_expect_code 77 sa-yarn kill --request <in >out 2>err &&
		test_empty out && test_match "somebody else.*--force" err ||
			return 1
	done &&
	test_expect_code 1 grep /kill/ one.asked &&
	{ sa-yarn kill --force -t 0 --application "$id" "$job" >out 2>err ||
		: ; } && grep /kill/ one.asked
'

test_expect_success 'secrets do not go to a master' '
	test_expect_code 65 sa-prepare -c cluster \
		--conf spark.x.password=hunter2 x.py >out 2>err &&
	test_match "spark.x.password" err &&
	test_expect_code 1 grep hunter2 err
'

test_expect_success 'kill of an application: the form with its token' '
	new_run "{master: \"spark://127.0.0.1:7077\", connection: \"client\",
		deploy_mode: \"client\", application_id: \"app-1\",
		state: \"RUNNING\"}" &&
	supervise && start_driver sleep 60 &&
	page=".page.activeapps = [{id: \"app-1\", state: \"RUNNING\"}]" &&
	form="<input name=\\\"csrfToken\\\" value=\\\"0123abcd\\\"/>" &&
	says "$page | .token = \"0123abcd\" | .html = \"$form\"" &&
	: >one.asked && { sa-yarn kill -t 1 "$job" >out 2>err || : ; } &&
	jq -s "[.[] | select(.path == \"/app/kill/\")]" one.asked >asked &&
	jq_ok ".[0].body == \"id=app-1&terminate=true&csrfToken=0123abcd\"" \
		asked
'

# client_run ID [MEMBERS]: a job whose driver is here
client_run () {
	new_run "{master: \"spark://127.0.0.1:7077\", connection: \"client\",
		deploy_mode: \"client\", application_id: \"$1\",
		state: \"RUNNING\"} + (${2:-{\}})"
}

# Three of app-7, the last on a worker that the master no longer names; each
# wrote its number, and one that is not the job's wrote more.
executors='.executors = [[10, "w"], [2, "w"], [3, "gone"]] |
	.logs["2/stdout", "10/stdout"] = "ten or two\n" |
	.logs["2/stderr"] = ([range(1; 90000) | "\(.)\n"] | add) |
	.logs["10/stderr"] = ""'
worker=".page.workers = [{id: \"w\", state: \"ALIVE\",
	webuiaddress: \"http://127.0.0.1:$port\"}]"
over='.page.completedapps = [{id: "app-7", state: "FINISHED",
	starttime: 1796027424821}]'

test_expect_success 'logs of executors: by the workers that the master names' '
	client_run app-7 && ended 0 && : >one.asked &&
	says "$worker | $over | $executors" &&
	test_expect_code 66 sa-yarn logs --executors "$job" >out 2>err &&
	cat >expected <<-\END &&
	==> executor app-7/2 stdout <==
	ten or two

	==> executor app-7/3 stdout <==

	==> executor app-7/10 stdout <==
	ten or two
	END
	test_cmp expected out &&
	test_match "worker of the executor: the master names no .gone" err &&
	test_match "no source has the stdout of .app-7/3." err &&
	jq -r ".path | select(startswith(\"/log/\"))" one.asked >asked &&
	test_match "appId=app-7&executorId=10&logType=stdout" asked &&
	test_expect_code 1 grep -e driverId -e executorId=3 asked
'

test_expect_success 'logs of executors: all of them, and as records' '
	client_run app-7 && ended 0 && says "$worker | $over | $executors |
		.executors = .executors[:2]" &&
	sa-yarn logs --all --output all "$job" 2>err &&
	test_match "==> executor app-7/2 stderr <==" all &&
	seq 89999 >wanted && sed -n "/^==> executor app-7.2 stderr/,/^==>/p" \
		all | grep "^[0-9]" >found && test_cmp wanted found &&
	printf "{\"job_id\":\"%s\",\"executors\":true}" "$job" |
		sa-yarn logs --request >out &&
	jq -s . out >records &&
	jq_ok "[.[] | .container, .role, .content, .next] ==
		[\"app-7/2\", \"executor\", \"ten or two\\n\", null,
		\"app-7/10\", \"executor\", \"ten or two\\n\", null]" records
'

test_expect_success 'logs of executors: none, or a master that forgot' '
	client_run app-7 && ended 0 && says "$worker | $over" &&
	test_expect_code 66 sa-yarn logs --executors "$job" >out 2>err &&
	test_empty out && says . &&
	test_expect_code 66 sa-yarn logs --executors "$job" >out 2>err &&
	test_empty out && test_match "no longer knows .app-7." err
'

# driver_run: one in cluster mode, whose log names app-7
driver_run () {
	new_run "{master: \"spark://127.0.0.1:7077\", connection: \"cluster\",
		deploy_mode: \"cluster\", application_id: \"driver-9\",
		state: \"SUCCEEDED\", finished_at: \"2026-11-29T10:16:00Z\"}" &&
	ended 0
}
driver='.page.completeddrivers = [{id: "driver-9", worker: "w",
	state: "FINISHED", starttime: "1796027424000"}] |
	.logs.stdout = "driver\n" | .logs.stderr = "26/11/30 08:30:24 INFO " +
	"StandaloneSchedulerBackend: Connected to Spark cluster with app ID " +
	"app-7\n"'

test_expect_success 'logs of executors: of the application of a driver' '
	driver_run && says "$worker | $over | $executors | $driver |
		.executors = [[0, \"w\"]] | .logs[\"0/stdout\"] = \"zero\n\"" &&
	sa-yarn logs --executors "$job" >out && cat >expected <<-\END &&
	==> driver driver-9 stdout <==
	driver

	==> executor app-7/0 stdout <==
	zero
	END
	test_cmp expected out
'

test_expect_success 'logs of executors: an application that cannot be its' '
	driver_run && says "$worker | $over | $executors | $driver |
		.page.completedapps[0].starttime = 1796027423999" &&
	sa-yarn logs --executors "$job" >out 2>err &&
	echo driver >expected && test_cmp expected out &&
	test_match "left out: .app-7. is older than .driver-9." err
'

test_expect_success 'the log of a driver, from the page of its worker' '
	new_run "{master: \"spark://127.0.0.1:7077\", connection: \"cluster\",
		deploy_mode: \"cluster\", application_id: \"driver-9\",
		state: \"SUCCEEDED\", finished_at: \"2026-11-29T10:16:00Z\"}" &&
	ended 0 && seq 20000 >expected && says ".page.workers = [{id: \"w\",
		webuiaddress: \"http://127.0.0.1:$port\"}] |
		.page.completeddrivers = [{id: \"driver-9\", worker: \"w\",
		state: \"FINISHED\"}] |
		.logs.stdout = ([range(1; 20001) | \"\\(.)\\n\"] | add)" &&
	sa-yarn logs "$job" >out && test_cmp expected out &&
	sa-yarn logs --tail 3 "$job" >out && tail -n 3 expected >three &&
	test_cmp three out && : >one.asked &&
	sa-yarn logs --executors "$job" >out 2>err && test_cmp expected out &&
	test_match "left out: no source has the stderr" err
'

# Two ports of one host, each with a cluster behind it.
test_expect_success 'two jobs of one master that differ in their ports' '
	says ".page.activedrivers = [{id: \"driver-1\", state: \"RUNNING\"}]" &&
	says ".page.activedrivers = [{id: \"driver-1\", state: \"FAILED\"}]" \
		two && master two &&
	for name in one two
	do
		p=$(cat "$name.port") &&
		sa-prepare -c cluster --conf "spark.master.ui.port=$p" \
			--conf "spark.master.rest.port=$p" x.py >out &&
		p=$(jq -r .pending_id out) &&
		new_run "{master: \"spark://127.0.0.1:7077\",
			connection: \"cluster\", deploy_mode: \"cluster\",
			application_id: \"driver-1\", pending_id: \"$p\",
			state: \"SUBMITTED\"}" && ended 0 &&
		echo "{\"host\":\"elsewhere\",\"boot_id\":\"x\",\"pid\":2,
			\"pgid\":2,\"start_ticks\":1,
			\"at\":\"2026-11-29T10:15:03Z\"}" >"$run/exec.json" &&
		echo "$job" >>jobs || return
	done &&
	sa-yarn list -n 20 --json >list &&
	jq_ok "[.items[] | select(.job_id == \$a, .job_id == \$b) | .state] ==
		[\"FAILED\", \"RUNNING\"]" list \
		--arg a "$(head -n 1 jobs)" --arg b "$(tail -n 1 jobs)"
'

# Two masters, of which the first waits for the other to be gone.
no='{success: false, message: "Current state is not alive: STANDBY"}'
says ".page.status = \"STANDBY\" |
	.create = ({action: \"CreateSubmissionResponse\"} + $no) |
	.status = ({action: \"SubmissionStatusResponse\"} + $no) |
	.kill = ({action: \"KillSubmissionResponse\"} + $no)" waiting
says . chief
master chief --other waiting
p=$(cat chief.port)
for mode in client cluster
do
	sa-conn save "two-$mode" --deploy-mode "$mode" \
		--master spark://127.0.0.3:7077,127.0.0.2:7077,127.0.0.1:7077 \
		--conf "spark.master.ui.port=$p" \
		--conf "spark.master.rest.port=$p" >/dev/null
done

# asked_at PATH: which masters got it
asked_at () {
	jq -r "select(.path | startswith(\"$1\")) | .at" chief.asked
}

test_expect_success 'several masters: the one in charge takes the job' '
	says ".create = $taken | .status = {success: true,
		action: \"SubmissionStatusResponse\",
		driverState: \"RUNNING\"}" chief && : >chief.asked &&
	sa-prepare -c two-cluster x.py >pending.json &&
	sa-confirm --yes <pending.json >job.json && submitted &&
	jq_ok ".application_id == \"$id\"" job.json &&
	printf "127.0.0.%d\n" 2 1 >expected &&
	asked_at /v1/submissions/create >got && test_cmp expected got &&
	is RUNNING
'

test_expect_success 'several masters: where the job is ended' '
	submitted && says ".kill = {success: true,
		action: \"KillSubmissionResponse\"} | .status = {success: true,
		action: \"SubmissionStatusResponse\",
		driverState: \"RUNNING\"}" chief && : >chief.asked &&
	test_expect_code 75 sa-yarn kill -t 1 "$job" >out 2>err &&
	asked_at /v1/submissions/kill >got &&
	grep -x 127.0.0.1 got && says ".status = {success: true,
		action: \"SubmissionStatusResponse\",
		driverState: \"KILLED\"}" chief && is KILLED
'

test_expect_success 'several masters: an application, where its master is' '
	new_run "{master:
		\"spark://127.0.0.3:7077,127.0.0.2:7077,127.0.0.1:7077\",
		connection: \"two-client\", deploy_mode: \"client\",
		application_id: \"app-3\", state: \"RUNNING\"}" &&
	supervise && start_driver sleep 60 &&
	says ".page.activeapps = [{id: \"app-3\", state: \"RUNNING\"}]" \
		chief && : >chief.asked && is RUNNING &&
	{ sa-yarn kill -t 1 "$job" >out 2>err || : ; } &&
	asked_at /app/kill/ >got && grep -x 127.0.0.1 got &&
	test_expect_code 1 grep -x 127.0.0.2 got
'

test_expect_success 'several masters: which is in charge' '
	test_expect_code 1 sa-yarn check -c two-cluster >out &&
	jq_ok "[.items[] | select(.name == \"alive\") | .ok, .detail] ==
		[true, \"1 of 3 masters are in charge\"]" out &&
	jq_ok "[.items[] | select(.name == \"master\") | .ok] ==
		[false, true, true]" out
'

test_expect_success 'several masters: none takes a job or tells of one' '
	cp waiting chief && sa-prepare -c two-cluster x.py >pending.json &&
	sa-confirm --yes <pending.json >job.json 2>err && submitted &&
	wait_for test -e "$run/exit.json" &&
	test_match "not alive: STANDBY" "$run/stderr" &&
	sa-yarn status "$job" >now 2>err &&
	jq_ok ".application_id == null and .state != \"RUNNING\"" now
'

# A cluster that speaks TLS, with a certificate that no system trusts.
if command -v openssl >/dev/null
then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
		-days 2 -keyout tls.key -out tls.pem 2>openssl.log ||
		tl_fatal "$(cat openssl.log)"
	cat tls.key tls.pem >tls.both
	says . secure
	master secure --tls tls.both
	p=$(cat secure.port)
	for ca in tls none
	do
		set -- --ca-file "$PWD/tls.pem"
		test $ca = tls || shift 2
		sa-conn save "secure-$ca" --master spark://127.0.0.1:7077 "$@" \
			--deploy-mode client \
			--conf spark.ssl.standalone.enabled=true \
			--conf "spark.ssl.standalone.port=$p" >/dev/null
	done
	worker=".page.workers = [{id: \"w\",
		webuiaddress: \"https://127.0.0.1:$p\"}]"
fi

# secure_run CONNECTION
secure_run () {
	new_run "{master: \"spark://127.0.0.1:7077\", connection: \"$1\",
		deploy_mode: \"client\", application_id: \"app-7\",
		state: \"RUNNING\"}" && ended 0
}

test_expect_success openssl 'over TLS: master and workers, by ca_file' '
	secure_run secure-tls && says "$worker | $over | $executors |
		.executors = [[2, \"w\"]]" secure &&
	sa-yarn logs --executors "$job" >out &&
	echo "ten or two" >expected && test_cmp expected out &&
	secure_run secure-none && : >secure.asked &&
	test_expect_code 69 sa-yarn logs --executors "$job" >out 2>err &&
	test_empty out && test_match "certificate" err &&
	test_empty secure.asked
'

test_expect_success 'over TLS: the port that Spark chooses' '
	sa-conn save tls-port --master spark://127.0.0.1:7077 \
		--conf spark.ssl.enabled=true \
		--conf spark.master.ui.port=65200 >/dev/null &&
	test_expect_code 1 sa-yarn check -c tls-port >out &&
	jq_ok "[.items[] | select(.name == \"master\") | .detail |
		test(\"127.0.0.1:1088\\\\b\")] == [true]" out
'

test_done
