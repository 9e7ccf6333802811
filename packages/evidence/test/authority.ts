import { execFileSync, spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** True where the program that plays the timestamp authority is installed. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export type KeyKind = 'rsa' | 'p256' | 'p384' | 'rsa-small';
const KEYS: Readonly<Record<KeyKind, readonly string[]>> = {
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'rsa-small': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  p256: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  p384: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
};

export interface CertificateOptions {
  readonly key?: KeyKind;
  /** Name of the issuer's files; absent: self-signed. */
  readonly issuer?: string;
  /** Lines of the extension section. */
  readonly extensions: readonly string[];
  /** Validity in days from now; negative ends in the past. */
  readonly days?: number;
  readonly digest?: string;
  /** Start and end as `YYYYMMDDhhmmssZ`. */
  readonly period?: readonly [string, string];
}

export const CA = [
  'basicConstraints=critical,CA:TRUE',
  'keyUsage=critical,keyCertSign',
  'subjectKeyIdentifier=hash',
];
export const STAMPING = ['extendedKeyUsage=critical,timeStamping', 'keyUsage=critical,digitalSignature'];

/** An RFC 3161 authority made of the openssl program, offline, in a directory of its own. */
export class Authority {
  readonly #place = mkdtempSync(join(tmpdir(), 'palisade-tsa-'));

  remove(): void {
    rmSync(this.#place, { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.#place, name);
  }

  #openssl(...args: readonly string[]): Buffer {
    return execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: this.#place });
  }

  /** Makes a key and a certificate named `name`; gives the certificate (DER). */
  certify(name: string, options: CertificateOptions): Buffer {
    const { key = 'p256', issuer, extensions, days = 3_650, digest = 'sha256', period } = options;
    this.#openssl('genpkey', ...KEYS[key], '-out', `${name}.key`);
    this.#openssl('req', '-new', '-key', `${name}.key`, '-subj', `/O=Test/CN=${name}`, '-out', `${name}.csr`);
    writeFileSync(this.#path(`${name}.ext`), `${extensions.join('\n')}\n`);
    const signed =
      issuer === undefined
        ? ['-signkey', `${name}.key`]
        : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial'];
    const span = period === undefined ? ['-days', String(days)] : [];
    const request = ['x509', '-req', '-in', `${name}.csr`, `-${digest}`, '-extfile', `${name}.ext`, ...span];
    if (period === undefined) this.#openssl(...request, ...signed, '-out', `${name}.pem`);
    else this.#certifyFor(name, issuer ?? name, digest, period);
    return this.certificate(name);
  }

  /** `openssl x509` knows no start; `openssl ca` does. */
  #certifyFor(name: string, issuer: string, digest: string, [from, to]: readonly [string, string]): void {
    const place = this.#place;
    writeFileSync(this.#path('index.txt'), '');
    writeFileSync(
      this.#path('ca.cnf'),
      `[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=${place}\ndatabase=${place}/index.txt\nrand_serial=yes\npolicy=p\n[p]\nO=supplied\nCN=supplied\n`,
    );
    const self = issuer === name ? ['-selfsign'] : ['-cert', `${issuer}.pem`];
    this.#openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      'ca.cnf',
      '-in',
      `${name}.csr`,
      '-keyfile',
      `${issuer}.key`,
      ...self,
      '-md',
      digest,
      '-extfile',
      `${name}.ext`,
      '-startdate',
      from,
      '-enddate',
      to,
      '-out',
      `${name}.pem`,
    );
  }

  certificate(name: string): Buffer {
    const lines = readFileSync(this.#path(`${name}.pem`), 'utf8').split('-----');
    return Buffer.from(lines[2] ?? '', 'base64');
  }

  /** Answers a TimeStampReq as `signer`, whose issuers `chain` are sent along. */
  reply(
    query: Uint8Array,
    signer: string,
    chain: readonly string[] = [],
    settings: readonly string[] = [],
  ): Buffer {
    writeFileSync(this.#path('query'), query);
    writeFileSync(this.#path('serial'), '01\n');
    writeFileSync(
      this.#path('chain.pem'),
      chain.map((name) => readFileSync(this.#path(`${name}.pem`), 'utf8')).join(''),
    );
    writeFileSync(
      this.#path('tsa.cnf'),
      [
        '[tsa]',
        'default_tsa=t',
        '[t]',
        'serial=serial',
        `signer_cert=${signer}.pem`,
        `signer_key=${signer}.key`,
        ...(chain.length > 0 ? ['certs=chain.pem'] : []),
        'default_policy=1.2.3.4.1',
        'digests=sha1,sha256,sha384,sha512',
        'accuracy=secs:1',
        'ordering=yes',
        'tsa_name=yes',
        ...(settings.some((line) => line.startsWith('signer_digest')) ? [] : ['signer_digest=sha256']),
        ...(settings.some((line) => line.startsWith('ess_cert_id_alg')) ? [] : ['ess_cert_id_alg=sha256']),
        ...settings,
      ].join('\n'),
    );
    this.#openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query', '-out', 'reply');
    return readFileSync(this.#path('reply'));
  }

  /** The authority over HTTP (RFC 3161 §3.4): answers as `signer`, as `answer.status` says when that is not 200. */
  serve(signer: string, answer: { status: number }): Server {
    return createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(answer.status, { 'content-type': 'application/timestamp-reply' });
        response.end(answer.status === 200 ? this.reply(Buffer.concat(chunks), signer) : '');
      });
    });
  }

  /** Signs a TSTInfo as CMS without signed attributes, which `openssl ts` cannot do. */
  signPlainly(tstInfo: Uint8Array, signer: string, useKeyId = false): Buffer {
    writeFileSync(this.#path('tst'), tstInfo);
    this.#openssl(
      'cms',
      '-sign',
      '-binary',
      '-nodetach',
      '-noattr',
      '-md',
      'sha256',
      ...(useKeyId ? ['-keyid'] : []),
      '-econtent_type',
      '1.2.840.113549.1.9.16.1.4',
      '-in',
      'tst',
      '-signer',
      `${signer}.pem`,
      '-inkey',
      `${signer}.key`,
      '-outform',
      'DER',
      '-out',
      'cms',
    );
    return readFileSync(this.#path('cms'));
  }

  /** What `openssl ts -verify` thinks of a token over `message`. */
  verifies(token: Uint8Array, message: Uint8Array, authority: string): boolean {
    writeFileSync(this.#path('token'), token);
    writeFileSync(this.#path('message'), message);
    return (
      spawnSync(
        'openssl',
        ['ts', '-verify', '-token_in', '-in', 'token', '-data', 'message', '-CAfile', `${authority}.pem`],
        { cwd: this.#place },
      ).status === 0
    );
  }
}
