/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "spark/cluster.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "spark/master.h"

static const struct {
	enum sa_master_kind kind;
	const struct sa_cluster_ops *ops;
} kinds[] = {
	{ SA_MASTER_YARN, &sa_cluster_yarn },
	{ SA_MASTER_KUBERNETES, &sa_cluster_kube },
	{ SA_MASTER_STANDALONE, &sa_cluster_standalone },
};

void
sa_candidates_release(struct sa_candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		sa_sighting_release(&c->v[i].seen);
	free(c->v);
	*c = (struct sa_candidates){ .v = NULL };
}

struct sa_sighting *
sa_candidates_add(struct sa_candidates *c, bool certain)
{
	c->v = sa_xrealloc(c->v, c->n + 1, sizeof(*c->v));
	c->v[c->n] = (struct sa_candidate){ .seen = SA_SIGHTING_INIT,
		.certain = certain };
	return &c->v[c->n++].seen;
}

const struct sa_cluster_ops *
sa_cluster_of(const char *master)
{
	enum sa_master_kind kind;

	if (master == NULL || sa_master_check(master, &kind, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].ops;
	return NULL;
}

int
sa_cluster_open(const struct sa_store *st, const struct sa_settings *s,
    const json_t *job, struct sa_cluster **out, struct sa_err *err)
{
	const struct sa_cluster_ops *ops =
	    sa_cluster_of(sa_json_str(job, "master"));

	*out = NULL;
	if (ops == NULL)
		return 0;
	struct sa_cluster *c = sa_xcalloc(1, sizeof(*c));
	*c = (struct sa_cluster){ .ops = ops, .store = st, .settings = s };
	if (ops->open(c, job, err) < 0) {
		free(c);
		return -1;
	}
	*out = c;
	return 0;
}

void
sa_cluster_close(struct sa_cluster *c)
{
	if (c == NULL)
		return;
	c->ops->close(c);
	free(c);
}
