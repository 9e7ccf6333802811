import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import type { ControlPlane } from '../control-plane.ts';
import type { Invocation } from '../invocation.ts';
import { foreignLog, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { demoPlan, makeProject } from './project.ts';

/** How long the engine of the throw-away project may take to leave. */
const ENGINE_LEAVES_MS = 15_000;

/**
 * Shows the whole path on a throw-away project. Every step is the real command, run by the same code
 * as when it is typed; the demo adds only the project and the words between. Where its answer is data, all of that is told on
 * standard error.
 */
export async function runDemo(
  invocation: Invocation,
  flags: { readonly keep: boolean; readonly sandbox: string | undefined },
): Promise<number> {
  const project = makeProject();
  const demo = new Demo(invocation, project);
  try {
    const ok = await demo.tell(flags.sandbox === undefined ? [] : ['--sandbox', flags.sandbox]);
    const answer = { ok, ...(flags.keep ? { project } : {}) };
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: flags.keep ? [project] : [],
      isPart: true,
      text: () => (flags.keep ? [`the project stays in ${foreignName(project)}`] : []),
    });
    return ok ? 0 : 1;
  } finally {
    await demo.close();
    if (!flags.keep) rmSync(project, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Demo {
  readonly #invocation: Invocation;
  readonly #project: string;
  #plane: Promise<ControlPlane> | undefined;

  constructor(invocation: Invocation, project: string) {
    this.#project = project;
    const { settings, out, err } = invocation;
    const isText = settings.format === 'text';
    this.#invocation = {
      ...invocation,
      directory: project,
      out: isText ? out : err,
      settings: {
        ...settings,
        format: 'text',
        fields: undefined,
        style: isText ? settings.style : settings.errorStyle,
      },
      controlPlane: () => (this.#plane ??= invocation.connections.openControlPlane({ directory: project })),
      call: async (operation, input, context) => {
        const plane = await this.#invocation.controlPlane();
        return plane.call(operation, input, { actor: invocation.actor, ...context });
      },
      hint: () => {},
    };
  }

  async tell(sandbox: readonly string[]): Promise<boolean> {
    const { out } = this.#invocation;
    this.#say(
      `A shell project with three mistakes and a failing test is in ${this.#project}.`,
      'Nothing of yours is touched.',
    );
    this.#test();
    await this.#pal('init');
    writeFileSync(
      join(this.#project, '.git', 'info', 'exclude'),
      'plan.json\nevidence.json\ntampered.json\ntrust.json\n',
    );
    writeFileSync(join(this.#project, 'plan.json'), `${JSON.stringify(demoPlan(), null, 2)}\n`);
    this.#say(
      'A plan repairs it: two items side by side, one that builds on the patches of both under a lock,',
      'and a check of everything together. One item fails at first, on purpose, and is tried again.',
    );
    await this.#pal('plan', 'render', 'plan.json');
    this.#say(
      'Each item runs in a sandbox on its own copy of the project. An engine process owns the run;',
      'closing this terminal would not stop it.',
    );
    if ((await this.#pal('run', 'plan.json', ...sandbox)) !== 0) return false;
    this.#say('What the items left are patches. Your files are as they were.');
    await this.#pal('diff', '-', '--stat');
    this.#say('Applying is all or nothing, and can be taken back with --revert.');
    await this.#pal('apply', '-');
    const isRepaired = this.#test();
    this.#say(
      'Every step was recorded and sealed. The bundle can be checked by anybody who has the public keys.',
    );
    await this.#pal('evidence', 'export', '-', '-o', 'evidence.json', '--trust-root', 'trust.json');
    const intact = await this.#pal('verify', 'evidence.json', '--trust', 'trust.json');
    this.#say('Now one single byte of the evidence is changed: a digit of the time of one event.');
    this.#tamper();
    const tampered = await this.#pal('verify', 'tampered.json', '--trust', 'trust.json');
    const isCaught = intact === 0 && tampered === 1;
    this.#say(
      isCaught ? 'The change was found: exit 1.' : 'The change was NOT found. This is a fault of Palisade.',
      isRepaired ? 'Every test of the project passes now.' : 'The tests of the project still fail.',
    );
    out.line('next: pal init in a project of yours, then pal run PLAN');
    return isCaught && isRepaired;
  }

  /** Ends when the engine has left: without its database it would only complain. */
  async close(): Promise<void> {
    const plane = await this.#plane?.catch(() => undefined);
    await plane?.close();
    const until = performance.now() + ENGINE_LEAVES_MS;
    while ((await plane?.engineLives()) === true && performance.now() < until) await delay(100);
  }

  #say(...lines: readonly string[]): void {
    const { out } = this.#invocation;
    out.line();
    for (const line of lines) out.line(line);
  }

  /** Runs one command line as if it had been typed in the project. */
  async #pal(...words: readonly string[]): Promise<number> {
    const { out, settings } = this.#invocation;
    out.line(settings.style.paint('strong', `$ pal ${words.join(' ')}`));
    return this.#invocation.typed(words, { ...this.#invocation, idempotencyKey: crypto.randomUUID() });
  }

  /** The project's own test, run here by its owner. */
  #test(): boolean {
    const { out, settings } = this.#invocation;
    out.line(settings.style.paint('strong', '$ sh test.sh'));
    const ended = spawnSync('sh', ['test.sh'], { cwd: this.#project, encoding: 'utf8', timeout: 60_000 });
    for (const line of foreignLog(ended.stdout).trimEnd().split('\n')) out.line(line);
    return ended.status === 0;
  }

  #tamper(): void {
    const bytes = readFileSync(join(this.#project, 'evidence.json'));
    const at = bytes.indexOf('"at":');
    if (at < 0) throw new PalisadeError('internal', 'the evidence holds no event time');
    const digit = at + '"at":'.length + 9;
    bytes[digit] = bytes[digit] === 0x39 ? 0x38 : (bytes[digit] ?? 0x30) + 1;
    writeFileSync(join(this.#project, 'tampered.json'), bytes);
  }
}
