import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

/*
 * Lints the committed `openapi.json` with every rule of Redocly's strictest and of Spectral's whole rule set, offline:
 * `node scripts/lint-openapi.ts`. Ends with 1 and one line for each finding.
 */

/** Rules of Spectral that do not apply here. */
const OFF = {
  // Whoever hosts a control plane answers for it; the document knows nobody to write to.
  'info-contact': 'off',
  // The licence is named by its SPDX identifier, which OpenAPI 3.1 has in place of an address and does not allow beside one.
  'license-url': 'off',
} as const;

const file = resolve(import.meta.dirname, '../openapi.json');
const source = readFileSync(file, 'utf8');

const redocly = await lintFromString({
  source,
  absoluteRef: file,
  config: await createConfig({ extends: ['recommended-strict'] }),
});
const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [[spectralRulesets.oas, 'all']], rules: OFF } as never);
const found = await spectral.run(JSON.parse(source) as Record<string, unknown>);

const lines = [
  ...redocly.map(
    ({ ruleId, message, location }) => `redocly ${ruleId}: ${message} at ${location[0]?.pointer}`,
  ),
  ...found.map(({ code, message, path }) => `spectral ${code}: ${message} at #/${path.join('/')}`),
];
for (const line of lines) console.error(line);
process.exitCode = lines.length === 0 ? 0 : 1;
