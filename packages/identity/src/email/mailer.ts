import { readFileSync, statSync } from 'node:fs';
import { PalisadeError } from '@palisade/contracts';

/** A message to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Hands messages over. What it raises is never shown: it may quote what was sent. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** An SMTP relay (AC-046). */
export interface SmtpSettings {
  readonly host: string;
  /** 587 with `starttls` and 465 with `tls`, unless said otherwise. */
  readonly port?: number;
  /** `none` only for a relay on this machine. */
  readonly tls?: 'starttls' | 'tls' | 'none';
  readonly user?: string;
  /** Only its owner may read it. */
  readonly passwordFile?: string;
  readonly from: string;
}

const TIMEOUT_MS = 20_000;

/** Sends through an SMTP relay. The library is loaded at the first message. Raises `invalid_input` for settings that cannot be. */
export function smtpMailer(settings: SmtpSettings): Mailer {
  const { host, tls = 'starttls', port = tls === 'tls' ? 465 : 587, user, passwordFile, from } = settings;
  if (tls === 'none' && !['localhost', '127.0.0.1', '::1'].includes(host))
    throw new PalisadeError('invalid_input', `the mail relay ${host} would be used without TLS`, {
      next: 'use starttls or tls',
    });
  const pass = passwordFile === undefined ? undefined : ownPassword(passwordFile);
  return {
    send: async ({ to, subject, text, html }) => {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        host,
        port,
        secure: tls === 'tls',
        requireTLS: tls === 'starttls',
        ignoreTLS: tls === 'none',
        ...(user === undefined ? {} : { auth: { user, pass: pass ?? '' } }),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      // An address as an object is never parsed for further ones.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html });
    },
  };
}

function ownPassword(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true)
    throw new PalisadeError('invalid_input', `there is no password file ${path}`, {
      next: 'name the file that holds the password of the mail relay',
    });
  if ((found.mode & 0o077) !== 0)
    throw new PalisadeError('invalid_input', `others may read the password file ${path}`, {
      next: `chmod 600 ${path}`,
    });
  return readFileSync(path, 'utf8').trim();
}
