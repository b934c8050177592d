/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * What an API server says of a pod. */
#include "config.h"

#include "base/json.h"
#include "spark/kubepod.h"

#define FUZZ_NAME "fuzz-kubepod"
#include "fuzz.h"

static void
look(const json_t *pod, bool wished)
{
	struct sa_sighting s;

	sa_kubepod_sight(pod, wished, &s);
	bool final = s.state != NULL &&
	    (strcmp(s.state, "SUCCEEDED") == 0 ||
		strcmp(s.state, "FAILED") == 0 ||
		strcmp(s.state, "KILLED") == 0);
	require(final == sa_kubepod_ended(pod),
	    "an end that is none, or none that is one");
	require(s.exit_code <= 0 || !final || strcmp(s.state, "SUCCEEDED") != 0,
	    "a success with a status");
	require(s.cluster_state != NULL, "no word of the cluster's");
	require(s.exit_code >= -1 && s.exit_code < 256, "no exit status");
	sa_sighting_release(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_auto_t *pod = NULL;

	if (sa_json_parse((const char *)data, size, "pod", &pod, NULL) < 0)
		return 0;
	sa_kubepod_label(pod, "sa-job");
	sa_kubepod_container(pod);
	sa_kubepod_has_node(pod);
	look(pod, false);
	look(pod, true);
	return 0;
}
