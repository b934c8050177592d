/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_MCP_MESSAGE_H
#define SA_MCP_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * JSON-RPC 2.0 as MCP uses it: what a line holds, and how an answer to it is
 * written.
 */
enum sa_mcp_code {
	SA_MCP_PARSE_ERROR = -32700,
	SA_MCP_INVALID_REQUEST = -32600,
	SA_MCP_NO_METHOD = -32601,
	SA_MCP_BAD_PARAMS = -32602,
	SA_MCP_INTERNAL_ERROR = -32603,
	SA_MCP_NO_RESOURCE = -32002, /* of the legacy era */
	SA_MCP_BAD_VERSION = -32022
};

/* Values nest at most this deep, the message itself being the first. */
#define SA_MCP_DEPTH_MAX 64

/* Why a message is not taken. */
struct sa_mcp_fault {
	enum sa_mcp_code code;
	char text[512];
	json_t *data; /* or NULL; owned */
};

/* Sets a fault; always -1. */
int sa_mcp_fault_set(struct sa_mcp_fault *f, enum sa_mcp_code code,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

enum sa_mcp_kind {
	SA_MCP_REQUEST,
	SA_MCP_NOTIFICATION,
	SA_MCP_RESPONSE, /* answers nothing of ours */
	SA_MCP_BATCH	 /* root is an array */
};

struct sa_mcp_message {
	enum sa_mcp_kind kind;
	json_t *root;
	const char *method; /* may be cut at a NUL that it holds */
	json_t *params;	    /* an object, or NULL */
	/* The id as JSON, a number with the very digits that came; of a
	 * message that is not taken too where it can be told. NULL for none. */
	char *id;
	/* params.arguments as it stands in the line, which must outlive it;
	 * NULL where that could not be told. */
	const char *arguments;
	size_t arguments_len;
};

/*
 * Takes a line apart. The line may be changed, and is kept until
 * sa_mcp_message_release(). -1 with the fault, where the message still has to
 * be released.
 */
int sa_mcp_message_parse(struct sa_mcp_message *m, char *line, size_t len,
    struct sa_mcp_fault *f);

/* The same for one element of a batch; takes a reference of its own. */
int sa_mcp_message_element(struct sa_mcp_message *m, json_t *element,
    struct sa_mcp_fault *f);

void sa_mcp_message_release(struct sa_mcp_message *m);

/* An id or a progress token as text that can be compared; NULL where it is
 * neither string nor integer. Caller frees. */
char *sa_mcp_token(const json_t *value);

/*
 * Lines that go out, with their LF. Members are the text between the braces
 * of an object; more of them may come in tail, which begins with a comma.
 */
void sa_mcp_put_result(struct sa_buf *b, const char *id, const char *members,
    const char *tail);
/* id and data may be NULL. */
void sa_mcp_put_error(struct sa_buf *b, const char *id, int code,
    const char *text, const json_t *data);
void sa_mcp_put_progress(struct sa_buf *b, const char *token, long long n);

/* Text as a JSON string, quotes and all; what is not UTF-8 becomes U+FFFD. */
void sa_mcp_put_string(struct sa_buf *b, const char *s, size_t len);

#endif
