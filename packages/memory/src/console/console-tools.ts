import { hostname } from 'node:os';
import {
  ConsoleClaimAnswer,
  ConsoleClaimList,
  ConsoleManifest,
  ConsoleSnapshot,
  PalisadeError,
} from '@palisade/contracts';
import * as z from 'zod';
import type { MemoryOptions } from '../open-memory.ts';
import type { MemoryTool } from '../tools.ts';
import { agentProcesses, callingAgent } from '../transcripts/live/agent-processes.ts';
import { liveTranscripts } from '../transcripts/live/live-transcripts.ts';
import { openTranscripts } from '../transcripts/open-transcripts.ts';
import { claimedRepository, claimTarget } from './claim-target.ts';
import { acquireClaims, LEASE_MS, listClaims, releaseClaims } from './claims.ts';
import { type Change, type Console, consoleOf, openConsole } from './console.ts';
import { setManifest } from './manifests.ts';
import { SESSION_VARIABLE } from './owned/run-owned.ts';
import { type KnownSession, sessionNamed } from './sessions.ts';
import { consoleSnapshot, transcriptKeys } from './snapshot.ts';

const session = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .describe('whose it is: PROVIDER:ID, such as claude-code:728b9672; as that of another session it is a lie');
const path = z.string().min(1).max(4_096).describe('a file or folder of the repository');
const paths = z.array(path).max(500);
const text = z.string().max(2_000);
const texts = z.array(text).max(200).optional();

async function withConsole<T>(
  { budget }: MemoryOptions,
  create: boolean,
  body: (console: Console) => T | Promise<T>,
): Promise<T> {
  using database = openConsole({ env: process.env, create });
  return await body(consoleOf(database, hostname(), signalOf(budget)));
}

function signalOf({ signal }: MemoryOptions['budget']): AbortSignal {
  return signal ?? new AbortController().signal;
}

function sessionOf(console: Console, written = process.env[SESSION_VARIABLE]): KnownSession {
  if (written === undefined || written === '')
    throw new PalisadeError('invalid_input', 'nothing says which session this is of', {
      next: 'give session as PROVIDER:ID',
    });
  return sessionNamed(console, written, () => transcriptKeys(process.env), true);
}

const ONCE: Change = { idempotencyKey: undefined, isRehearsal: false, request: [] };

function tool<I extends z.ZodObject>(
  described: Omit<MemoryTool, 'answer' | 'input'> & { readonly input: I },
  answer: (options: MemoryOptions, input: z.output<I>) => Promise<unknown>,
): MemoryTool {
  return { ...described, answer };
}

/** What agents tell each other, as tools of theirs. What starts or interrupts commands is none, nor is what decides. */
export const consoleTools: readonly MemoryTool[] = [
  tool(
    {
      name: 'console_sessions',
      title: 'The agents on this machine: what runs, what each says that it does, and holds',
      input: z.strictObject({ all: z.boolean().default(false) }),
      output: ConsoleSnapshot,
      isChange: false,
    },
    async (options, { all }) => {
      const { now, budget } = options;
      using transcripts = openTranscripts({ env: process.env, create: true });
      const live = await liveTranscripts(transcripts, {
        processes: agentProcesses(all),
        env: process.env,
        now,
        host: hostname(),
        signal: signalOf(budget),
      });
      return withConsole(options, false, (console) => consoleSnapshot(console, live, all));
    },
  ),
  tool(
    {
      name: 'console_manifest_set',
      title: 'Tell the other agents what this session does; what is not given stays as it was',
      input: z.strictObject({
        session,
        goal: text.optional(),
        step: text.optional(),
        stop: text.optional(),
        files: paths.optional(),
        next: texts,
        risks: texts,
        blockers: texts,
      }),
      output: ConsoleManifest,
      isChange: true,
      hints: { destructiveHint: true },
    },
    async (options, { session: written, files, ...words }) => {
      const around = await claimedRepository(options.directory, options.budget);
      const targets = files?.map((file) => claimTarget(around, options.directory, file).target);
      return withConsole(options, true, (console) =>
        setManifest(console, {
          ...ONCE,
          session: sessionOf(console, written),
          cwd: options.directory,
          repository: around.repository,
          sourcePid: callingAgent(),
          words: { ...words, files: targets },
        }),
      );
    },
  ),
  tool(
    {
      name: 'console_claim_acquire',
      title: 'Lease files or folders before they are edited: all of them, or none with who holds them',
      input: z.strictObject({
        session,
        paths: paths.min(1),
        ttl_seconds: z
          .int()
          .min(1)
          .max(LEASE_MS.most / 1000)
          .default(LEASE_MS.usual / 1000),
        intent: text.optional(),
      }),
      output: ConsoleClaimAnswer,
      isChange: true,
      // Asked again it lasts longer.
      hints: { idempotentHint: false },
    },
    async (options, { session: written, paths: wanted, ttl_seconds: ttl, intent }) => {
      const around = await claimedRepository(options.directory, options.budget);
      const targets = wanted.map((each) => claimTarget(around, options.directory, each));
      return withConsole(options, true, (console) =>
        acquireClaims(console, {
          ...ONCE,
          session: sessionOf(console, written),
          repository: around.repository,
          targets,
          ttlMs: ttl * 1000,
          intent,
        }),
      );
    },
  ),
  tool(
    {
      name: 'console_claim_release',
      title: 'End leases of this session, by their ids; without ids all of them',
      input: z.strictObject({ session, ids: z.array(z.string().max(20)).max(500).optional() }),
      output: ConsoleClaimList,
      isChange: true,
      hints: { destructiveHint: true },
    },
    (options, { session: written, ids }) =>
      withConsole(options, true, async (console) => ({
        data: await releaseClaims(console, {
          ...ONCE,
          session: sessionOf(console, written),
          which: ids === undefined ? 'all' : { ids },
        }),
      })),
  ),
  tool(
    {
      name: 'console_claim_list',
      title: 'Who holds which files of this repository now',
      input: z.strictObject({}),
      output: ConsoleClaimList,
      isChange: false,
    },
    async (options) => {
      const { repository } = await claimedRepository(options.directory, options.budget);
      return withConsole(options, false, (console) => ({ data: listClaims(console, repository, false) }));
    },
  ),
];
