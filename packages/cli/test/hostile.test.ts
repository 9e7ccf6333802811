import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { foreignLine } from '../src/output/foreign-text.ts';
import { cases, furnished, scenario } from './cases.ts';
import type { Scenario } from './double/scenario.ts';
import { visible } from './live-frames.ts';

const ESC = '\u001B';

/** What agents, repositories and tools have been seen to print, and what they could. */
const corpus: Readonly<Record<string, string>> = {
  'screen and title': `safe${ESC}[2J${ESC}[H${ESC}]0;owned\u0007${ESC}[?1049h`,
  'clipboard and links': `${ESC}]52;c;cm0gLXJmIC8=\u0007${ESC}]8;;https://evil.example${ESC}\\click${ESC}]8;;${ESC}\\`,
  'rewriting a line': 'failed\r\u001B[1A\u001B[Kok       everything went well\u0008\u0008',
  'eight-bit controls': 'a\u009B31mb\u009D0;owned\u009Cc\u0090q\u009C',
  'a row of its own': 'first\r\nfailed   fake-item  all is lost\nok       run_x',
  'devices and applications': `${ESC}P1$rstuff${ESC}\\${ESC}_app${ESC}\\${ESC}^pm${ESC}\\${ESC}c${ESC}(0`,
  'direction and invisibility': 'gpj.\u202Eexe.\u2066x\u2069\u200B\uFEFF\u{E0041}\u{E0042}\u2028next',
  'a string without an end': `echo start "${ESC}]"; touch PAYLOAD-RAN # ${ESC}P\u009D\u0098`,
  'broken text': `half \uD800 nul \u0000 del \u007F bell \u0007 end${ESC}`,
};

const FOREIGN = new Set([
  'title',
  'actor',
  'reason',
  'repository',
  'branch',
  'text',
  'detail',
  'summary',
  'code',
]);

/** The scenario with every foreign string replaced. */
function poisoned(value: unknown, poison: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => poisoned(entry, poison));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (key === 'warnings') return [key, [poison]];
      return [key, FOREIGN.has(key) && typeof entry === 'string' ? poison : poisoned(entry, poison)];
    }),
  );
}

function told(poison: string): Scenario {
  const { runs, answers, blobs } = scenario({ open: true });
  const { 'evidence.export': bundle, 'evidence.trust-root': trust, ...rest } = answers ?? {};
  const line = poison.toWellFormed().replaceAll(/[\0\r\n]/g, ' ');
  const patch = `diff --git a/f b/f\nnew file mode 100644\nindex 0000000..5626abf\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+${line}\n`;
  const products = [
    { item: 'spec', state: 'done', result_ref: contentHash(patch), outputs: [], base_patches: [] },
  ];
  const hostile = poisoned(runs, poison) as Scenario['runs'];
  return {
    runs: hostile.map((run, index) => (index === 0 ? { ...run, products } : run)),
    blobs: { ...blobs, [contentHash(patch)]: Buffer.from(patch).toString('base64') },
    answers: {
      ...(poisoned(rest, poison) as object),
      'evidence.export': bundle,
      'evidence.trust-root': trust,
    },
  };
}

// Ours: colours of the sixteen, and the cursor that the live view hides.
const OURS = /<ESC>\[(?:\d+m|\?25[lh])/g;
const CONTROLS =
  /[\0-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200B\uFEFF\u2028]|<ESC>|[\uD800-\uDFFF](?![\uDC00-\uDFFF])(?<![\uD800-\uDBFF][\uDC00-\uDFFF])/u;

/** What a command shows to a terminal or a pipe, checked to hold nothing that could command either. */
async function shownBy(
  path: string,
  poison: string,
  window: { columns: number; rows: number } | undefined,
): Promise<string> {
  const { args, input = '' } = cases[path] ?? { args: [] };
  using place = furnished(told(poison));
  const title = poison.toWellFormed();
  const plan = { title, items: [{ id: 'a', command: 'true', title }] };
  writeFileSync(join(place.directory, 'plan.json'), JSON.stringify(plan));
  const all = path === 'apply' ? [...args, '--yes'] : args;
  const hasKeyboard = window !== undefined && input === '';
  const { stdout, stderr } = await place.pal(all, hasKeyboard ? { window } : { input });
  const shown = visible(stdout + stderr).replaceAll(OURS, '');
  expect(shown, `pal ${path}`).not.toMatch(CONTROLS);
  // Logs and patches keep their lines; everywhere else one foreign text stays on one line of ours.
  if (!['logs', 'watch', 'run', 'rerun', 'diff'].includes(path))
    expect(shown, `pal ${path}`).not.toMatch(/^(?:failed|ok) +(?:fake-item|run_x|everything)/m);
  return shown;
}

const WINDOW = { columns: 80, rows: 30 };
const TELLING = ['status', 'show', 'watch', 'logs', 'events', 'explain', 'plan render', 'diff'];

describe('hostile text', () => {
  for (const [what, poison] of Object.entries(corpus)) {
    it(`${what}: shown without what commands a terminal`, async () => {
      const shown: string[] = [];
      for (const path of TELLING) shown.push(await shownBy(path, poison, WINDOW));
      // It did come through, as harmless text.
      expect(shown.join('\n')).toContain(foreignLine(poison).slice(0, 12).trimEnd());
    });

    it(`${what}: JSON and raw bytes keep it whole`, async () => {
      using place = furnished(told(poison));
      const show = JSON.parse((await place.pal(['show', '-', '--json'])).stdout) as {
        run: { title: string };
      };
      if (poison.isWellFormed()) expect(show.run.title).toBe(poison);
      const raw = await place.pal(['logs', '-/lint', '--raw']);
      if (poison.isWellFormed()) expect(raw.stdout).toContain(poison);
      expect((await place.pal(['logs', '-/lint', '--raw'], { window: WINDOW })).code).toBe(2);
      expect((await place.pal(['diff', '-', '--raw'], { window: WINDOW })).code).toBe(2);
    });
  }

  it('FF-013: a patch shows every character of a name and of a line, and so does the list of what was applied', async () => {
    const patch = [
      String.raw`diff --git "a/pack\033[0mage.json" "b/pack\033[0mage.json"`,
      'new file mode 100644',
      'index 0000000..5626abf',
      '--- /dev/null',
      String.raw`+++ "b/pack\033[0mage.json"`,
      '@@ -0,0 +1,2 @@',
      `+echo start "${ESC}]"; touch PAYLOAD-RAN # `,
      '+if (admin\u200B) {\u202E }',
      '',
    ].join('\n');
    const { runs, ...rest } = scenario();
    const ref = contentHash(patch);
    const product = { item: 'spec', state: 'done', result_ref: ref, outputs: [], base_patches: [] };
    using place = furnished({
      ...rest,
      runs: runs.map((run, index) => (index === 0 ? { ...run, products: [product] } : run)),
      blobs: { [ref]: Buffer.from(patch).toString('base64') },
    });
    for (const window of [WINDOW, undefined]) {
      const diff = await place.pal(['diff', '-'], window === undefined ? {} : { window });
      expect(diff.stdout).toContain(String.raw`A pack\x1b[0mage.json  +2 -0`);
      expect(diff.stdout).toContain(String.raw`+echo start "\x1b]"; touch PAYLOAD-RAN # `);
      expect(diff.stdout).toContain(String.raw`+if (admin\u{200b}) {\u{202e} }`);
    }
    const ids = await place.pal(['apply', '-', '--item', 'spec', '--dry-run', '--format', 'id'], {
      window: WINDOW,
    });
    expect(ids.stdout).toContain(String.raw`pack\x1b[0mage.json`);
    expect(ids.stdout).not.toContain(ESC);
  });

  it('no command lets any of it reach a terminal or a pipe', async () => {
    const all = Object.values(corpus).join(' ');
    for (const path of Object.keys(cases))
      for (const window of [WINDOW, undefined]) await shownBy(path, all, window);
  });
});
