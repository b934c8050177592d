// SPDX-License-Identifier: ISC
// Copyright (c) 2026 The sa authors
//
// usage: node suite.mjs SCENARIOS RESULTS REVISION [TOOL...]
//
// What the conformance suite found, from the files that it writes into the
// directory RESULTS: a line for each scenario, as t/mcp/mcp-lib.sh reads
// them. SCENARIOS says which of them the server with these TOOLs has to pass.
import fs from 'node:fs';
import path from 'node:path';

const [scenarios, results, revision, ...tools] = process.argv.slice(2);
const rules = new Map();
let failed = 0;
let seen = 0;

for (const line of fs.readFileSync(scenarios, 'utf8').split('\n')) {
  const [name, rule, why] = line.split('\t');
  if (name && !name.startsWith('#'))
    rules.set(name, { rule, why });
}

// excuse: why the server need not pass what has this name.
function excuse(name) {
  const { rule, why } = rules.get(name) ?? { rule: 'must' };
  if (rule === 'never')
    return why;
  if (rule.startsWith('tool=') && !tools.includes(rule.slice(5)))
    return `there is no tool ${rule.slice(5)}`;
  return undefined;
}

function judge(scenario, checks) {
  const name = `${revision}: ${scenario}`;
  const wrong = checks.filter(c => c.status === 'FAILURE');
  // a message that breaks the protocol's schema is never excused
  const serious = excuse(scenario) ?
    wrong.filter(c => c.id === 'wire-schema-valid') :
    wrong.filter(c => !excuse(`${scenario}/${c.id}`));
  if (serious.length > 0 || checks.length === 0) {
    failed++;
    console.log(`not ok - ${name}`);
    for (const c of serious) {
      const why = c.errorMessage ?? JSON.stringify(c.details ?? {});
      console.log(`# ${c.id}: ${why.replace(/\s+/g, ' ').slice(0, 300)}`);
    }
    return;
  }
  const why = excuse(scenario);
  console.log(`ok - ${name}${why ? ` # skip ${why}` : ''}`);
  if (!why)
    console.log(`# ${checks.filter(c => c.status === 'SUCCESS').length} ` +
      `checks${wrong.length ? `, ${wrong.length} are excused` : ''}`);
}

// A directory is called server-SCENARIO-TIME.
for (const dir of fs.readdirSync(results).sort()) {
  const file = path.join(results, dir, 'checks.json');
  if (!fs.existsSync(file))
    continue;
  seen++;
  judge(dir.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
    JSON.parse(fs.readFileSync(file, 'utf8')));
}
if (seen < 20) {
  failed++;
  console.log(`not ok - ${revision}: the suite ran\n` +
    `# only ${seen} scenarios have results`);
}
process.exit(failed ? 1 : 0);
