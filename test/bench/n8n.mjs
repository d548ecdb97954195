// How much of other people's n8n workflows is imported: a folder of exports (`*.json`), which are not part of this project.
// Nodes are those that are no notes. The bar is 75 % mapped or approximated, nothing that fails, nothing that is invalid.
//   npm run bench -- n8n <folder>
import fs from 'node:fs';
import path from 'node:path';
import { toolCatalogue } from '../../libs/workflow-tools/dist/index.js';
import { importN8n, parseDefinition } from '../../libs/workflow-definition/dist/index.js';

const [folder] = process.argv.slice(2);
if (!folder || !fs.existsSync(folder)) {
  console.error('Usage: npm run bench -- n8n <folder with exports of n8n>');
  process.exit(1);
}

const counts = { mapped: 0, approximated: 0, unmapped: 0 };
const missing = new Map();
const refused = [];
let workflows = 0;
let silent = 0;
const started = performance.now();
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  try {
    const { jsonSpec, report } = importN8n(
      JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')),
      'json',
      toolCatalogue,
    );
    const { errors } = parseDefinition(jsonSpec, toolCatalogue);
    if (errors.length > 0) refused.push(`${file}: ${errors[0].message}`);
    workflows += 1;
    for (const place of Object.keys(counts))
      for (const { type, notes } of report[place].filter((node) => !node.type.endsWith('.stickyNote'))) {
        counts[place] += 1;
        if (place === 'unmapped') missing.set(type, (missing.get(type) ?? 0) + 1);
        if (place === 'approximated' && notes.length === 0) silent += 1;
      }
  } catch (error) {
    refused.push(`${file}: ${JSON.stringify(error.fields ?? error.message)}`);
  }
}
const total = counts.mapped + counts.approximated + counts.unmapped;
const share = ((counts.mapped + counts.approximated) / total) * 100;
console.log(`${workflows} workflows, ${total} nodes in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
console.log(
  `mapped ${counts.mapped}, approximated ${counts.approximated}, unmapped ${counts.unmapped}: ${share.toFixed(1)} %`,
);
console.log(`approximated without a note: ${silent}; refused or invalid: ${refused.length}`);
for (const line of refused.slice(0, 20)) console.log(`  ${line}`);
console.log('Most of what is missing:');
for (const [type, count] of [...missing].sort((a, b) => b[1] - a[1]).slice(0, 20)) console.log(`  ${count} ${type}`);
process.exit(share >= 75 && silent === 0 && refused.length === 0 ? 0 : 1);
