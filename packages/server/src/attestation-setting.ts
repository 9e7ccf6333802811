import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  addressClass,
  type CheckpointWitness,
  isWrittenPrivate,
  PalisadeError,
  type TimestampAuthority,
  type TrustRoot,
} from '@palisade/contracts';
import { NOTE_KEY_TYPE, parseVerifierKey } from '@palisade/evidence';
import { EgressClient } from '@palisade/kernel';
import { httpTimestampAuthority, httpWitness } from '@palisade/runs';

/** Whom the operator has attest the log, and what auditors are proposed to trust. */
export interface AttestationSetting {
  readonly authority: TimestampAuthority | null;
  readonly witnesses: readonly CheckpointWitness[];
  readonly trusted: Pick<TrustRoot, 'witnesses' | 'timestamps'>;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The operator's settings of attestation (DI-228), off unless set:
 *
 * - `PALISADE_TIMESTAMP_URL`: an RFC 3161 authority;
 * - `PALISADE_TIMESTAMP_CA`: a PEM file with the certificates that its timestamps must lead to;
 * - `PALISADE_WITNESSES`: `KEY URL` of each C2SP witness, separated by commas.
 *
 * Raises `invalid_input` naming the variable. No network is used.
 */
export function attestationSetting(env: Env): AttestationSetting {
  const url = value(env, 'PALISADE_TIMESTAMP_URL');
  const caFile = value(env, 'PALISADE_TIMESTAMP_CA');
  if (caFile !== undefined && url === undefined)
    throw wrong('PALISADE_TIMESTAMP_CA', 'is set without PALISADE_TIMESTAMP_URL');
  const authorities = caFile === undefined ? undefined : certificates(caFile);
  const witnesses = (value(env, 'PALISADE_WITNESSES') ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(witnessOf);
  const keys = witnesses.map(({ verifierKey }) => verifierKey);
  if (new Set(witnesses.map(({ name }) => name)).size < witnesses.length)
    throw wrong('PALISADE_WITNESSES', 'names a witness twice');
  return {
    authority:
      url === undefined
        ? null
        : httpTimestampAuthority({
            url: checked('PALISADE_TIMESTAMP_URL', url),
            client: clientFor(url),
            ...(authorities === undefined ? {} : { authorities }),
          }),
    witnesses,
    trusted: {
      // More than half: one that is away takes nothing from evidence that the others saw.
      ...(keys.length === 0 ? {} : { witnesses: { needed: Math.floor(keys.length / 2) + 1, keys } }),
      ...(authorities === undefined
        ? {}
        : {
            timestamps: {
              required: false,
              authorities: authorities.map((certificate) => certificate.toString('base64')),
            },
          }),
    },
  };
}

function value(env: Env, name: string): string | undefined {
  const text = env[name];
  return text === undefined || text === '' ? undefined : text;
}

function witnessOf(entry: string): CheckpointWitness {
  const [verifierKey = '', url = '', ...more] = entry.split(/\s+/u);
  try {
    if (more.length > 0 || parseVerifierKey(verifierKey).type !== NOTE_KEY_TYPE.cosignature)
      throw wrong('PALISADE_WITNESSES', '');
  } catch {
    throw wrong(
      'PALISADE_WITNESSES',
      'must be pairs of a witness key (name+id+key) and an address, separated by commas',
    );
  }
  return httpWitness({ verifierKey, url: checked('PALISADE_WITNESSES', url), client: clientFor(url) });
}

/** Both protocols prove themselves and carry no secret, so http will do; a private address is meant when it is written out. */
function clientFor(url: string): EgressClient {
  return new EgressClient({ allowLocal: isWrittenPrivate(url), clearWire: 'any' });
}

function checked(variable: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw wrong(variable, 'must have an https or http address');
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw wrong(variable, 'must have an address without user, password or fragment');
  if (addressClass(url.hostname.replace(/^\[|\]$/g, '')) === 'forbidden')
    throw wrong(variable, 'must not have a link-local or reserved address');
  return text;
}

function certificates(file: string): Buffer[] {
  try {
    const blocks = readFileSync(file, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
    );
    const found = (blocks ?? []).map((pem) => new X509Certificate(pem).raw);
    if (found.length > 0) return found;
  } catch {
    // Said below.
  }
  throw wrong('PALISADE_TIMESTAMP_CA', 'must be a file with certificates in PEM');
}

function wrong(variable: string, what: string): PalisadeError {
  return new PalisadeError('invalid_input', `${variable} ${what}`, {
    next: 'leave it out to have nobody attest the evidence log',
  });
}
