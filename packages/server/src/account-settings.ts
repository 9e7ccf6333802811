import { PalisadeError } from '@palisade/contracts';
import { smtpMailer, type SmtpSettings } from '@palisade/identity';
import type { AccountSettings } from './compose.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What an operator sets of people's accounts, for a server that is reached by `publicOrigin`. Raises what {@link mailSetting} raises. */
export function accountSettings(env: Variables, publicOrigin: string | undefined): AccountSettings {
  const mail = mailSetting(env);
  return {
    ...(publicOrigin === undefined ? {} : { publicOrigin }),
    // Without TLS, on this machine alone, no browser would keep a cookie that is `Secure`.
    insecureLoopback: publicOrigin?.startsWith('https:') !== true,
    ...(mail === undefined ? {} : { mailer: smtpMailer(mail) }),
  };
}

const TLS = ['starttls', 'tls', 'none'] as const;

/** The mail relay (AC-046): none without `PALISADE_SMTP_HOST`. Raises `invalid_input`. */
export function mailSetting(env: Variables): SmtpSettings | undefined {
  const read = (name: string): string | undefined => {
    const value = env[`PALISADE_${name}`];
    return value === '' ? undefined : value;
  };
  const host = read('SMTP_HOST');
  if (host === undefined) return undefined;
  const from = read('MAIL_FROM');
  if (from === undefined) throw wrong('PALISADE_MAIL_FROM', 'the address that messages come from');
  const given = read('SMTP_TLS');
  const tls = TLS.find((each) => each === given);
  if (given !== undefined && tls === undefined) throw wrong('PALISADE_SMTP_TLS', TLS.join(', '));
  const port = read('SMTP_PORT');
  if (port !== undefined && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) < 65_536))
    throw wrong('PALISADE_SMTP_PORT', 'a port');
  const user = read('SMTP_USER');
  const passwordFile = read('SMTP_PASSWORD_FILE');
  if ((user === undefined) !== (passwordFile === undefined))
    throw wrong(
      user === undefined ? 'PALISADE_SMTP_USER' : 'PALISADE_SMTP_PASSWORD_FILE',
      'set with the other',
    );
  return {
    host,
    from,
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(tls === undefined ? {} : { tls }),
    ...(user === undefined ? {} : { user }),
    ...(passwordFile === undefined ? {} : { passwordFile }),
  };
}

function wrong(name: string, what: string): PalisadeError {
  return new PalisadeError('invalid_input', `${name} has to be ${what}`, { next: `set ${name}` });
}
