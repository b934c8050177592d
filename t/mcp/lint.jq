# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
#
# jq -r -f lint.jq: reads an answer to tools/list, prints what some client
# would stumble over, a line each.

def of_name:
	select(.name | test("^[a-z][a-z0-9_]{0,44}$") | not)
	| "its name: clients put a prefix before it and take 64 characters";

def of_texts:
	(select((.title // "") == "") | "no title"),
	((.description // "" | length) as $n
		| select($n < 20 or $n > 1000)
		| "a description of \($n) characters");

def of_annotations:
	(.annotations // {}) as $given
	| ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
	| select(($given[.] | type) != "boolean")
	| "no \(.)";

def of_input:
	.inputSchema
	| (select(.type != "object" or (.properties | type) != "object")
		| "inputSchema is no object with properties"),
	(select(has("anyOf") or has("oneOf") or has("allOf") or has("not")
			or has("enum"))
		| "inputSchema combines schemas at its root"),
	(.properties // {} | to_entries[]
		| select((.value.description? // "") == "")
		| "no description of '\(.key)'");

def of_output:
	select(has("outputSchema") and .outputSchema.type != "object")
	| "outputSchema is no object, so legacy clients drop all tools";

def of_schemas:
	(.inputSchema, .outputSchema // empty) | .. | objects
	| (select(has("$ref") or has("$defs") or has("$schema"))
		| "a schema that refers to others"),
	(select((.type | type) == "array") | "a union of types"),
	(select(.type == "array" and (has("items") | not))
		| "an array of anything"),
	(select((.enum | type) == "array"
			and any(.enum[]; type != "string" or . == ""))
		| "an enum of what is no string, or empty"),
	(select(.type == "object" and (has("properties") | not)
			and (has("additionalProperties") | not))
		| "an object of anything");

.result.tools[]
| "\(.name): \(of_name, of_texts, of_annotations, of_input, of_output, of_schemas)"
