import { boundedJson } from '@palisade/client';
import { foreignFault, getInfo, getProject, isPalisadeError, limits } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { toFailure } from '../output/error.ts';
import { chosenProject } from '../server/chosen-project.ts';
import { serverCaller } from '../server/server-caller.ts';
import { credentialFor } from '../server/credentials.ts';
import { setServer } from '../server/set-server.ts';
import type { DoctorCheck } from './check.ts';

const ANSWER_MS = 5_000;
/** A clock that differs by more is worth a look; what is decided is decided by the server's. */
const CLOCK_MS = 5_000;

/** Binding, credential, what the server says to somebody who shows none, and which project whoever shows it is in. `origin` is absent where no server is set. */
export async function serverChecks(invocation: Invocation): Promise<{
  readonly checks: readonly DoctorCheck[];
  readonly origin: string | undefined;
  readonly project?: string | undefined;
}> {
  const { config, env } = invocation;
  const { value, source, where, isNone } = config.winner('server');
  if (value === undefined)
    return {
      checks: [
        {
          name: 'binding',
          result: 'n/a',
          detail: isNone === true ? `${where} is empty` : 'no server is set',
          next: 'pal config set server ORIGIN',
        },
      ],
      origin: undefined,
    };
  let origin: string;
  try {
    origin = setServer(config) ?? value;
  } catch (error) {
    const { message, next } = await toFailure(error);
    const binding = { name: 'binding', result: 'fail', detail: message } as const;
    return { checks: [{ ...binding, ...(next === undefined ? {} : { next }) }], origin: undefined };
  }
  const { key, check } = await project(origin, invocation);
  return {
    checks: [
      { name: 'binding', result: 'ok', detail: `${origin}  ${source}: ${where}` },
      credential(origin, env),
      ...(await answer(origin)),
      ...check,
    ],
    origin,
    project: key,
  };
}

function credential(origin: string, env: Invocation['env']): DoctorCheck {
  const name = 'credential';
  try {
    const found = credentialFor(origin, env);
    return found === undefined
      ? { name, result: 'fail', detail: `none for ${origin}`, next: `pal login ${origin}` }
      : { name, result: 'ok', detail: found.where };
  } catch (error) {
    return { name, result: 'fail', detail: wordsOf(error) };
  }
}

/** Reads what a server tells everybody. No credential is sent, and redirections are not followed. */
async function answer(origin: string): Promise<DoctorCheck[]> {
  const name = 'server';
  const begun = Date.now();
  let told: unknown;
  let time: string | null;
  try {
    const response = await fetch(`${origin}${getInfo.path}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    time = response.headers.get('server-time');
    told = await boundedJson(response, { origin, maxBytes: limits.inputBytes });
  } catch (error) {
    const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return [{ name, result: 'fail', detail: `no answer from ${origin}: ${foreignFault(cause)}` }];
  }
  const info = getInfo.output.safeParse(told);
  const compatible = info.success && info.data.client_compatibility.api_versions.includes('v1');
  return [
    compatible
      ? { name, result: 'ok', detail: `palisade ${info.data.product_version}, API v1` }
      : { name, result: 'fail', detail: `${origin} speaks another API, or is no palisade` },
    clock(begun, time),
  ];
}

/** The project that calls will be about. Nothing is said of it where it cannot be asked: the reason has been said before. */
async function project(
  origin: string,
  { config, env }: Invocation,
): Promise<{ readonly check: DoctorCheck[]; readonly key?: string }> {
  const name = 'project';
  const named = config.winner('project');
  try {
    const access = credentialFor(origin, env);
    if (access === undefined) return { check: [] };
    const caller = serverCaller(access, { patienceMs: 0, attemptMs: ANSWER_MS });
    const key = named.value ?? (await chosenProject(caller));
    await caller.call(getProject, {}, { project: key });
    const why = named.value === undefined ? 'no other is named' : `${named.source}: ${named.where}`;
    return { check: [{ name, result: 'ok', detail: `${key}  ${why}` }], key };
  } catch (error) {
    if (!isPalisadeError(error) || error.code === 'upstream_failed') return { check: [] };
    const { next } = error;
    return {
      check: [{ name, result: 'fail', detail: error.message, ...(next === undefined ? {} : { next }) }],
    };
  }
}

function clock(begun: number, time: string | null): DoctorCheck {
  const name = 'clock';
  const server = Date.parse(time ?? '');
  if (Number.isNaN(server)) return { name, result: 'n/a', detail: 'the server does not say its time' };
  // It was read somewhere between the request and the answer.
  const ms = Math.round(server - (begun + Date.now()) / 2);
  return {
    name,
    result: Math.abs(ms) > CLOCK_MS ? 'warn' : 'ok',
    detail: `the server's is ${Math.abs(ms)} ms ${ms < 0 ? 'behind' : 'ahead'}`,
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown fault';
}
