import { htmlText } from '@palisade/contracts';
import type { Mail } from './mailer.ts';

/** One link of a message. */
export interface NamedLink {
  readonly account: string;
  readonly url: string;
}

export function verificationMail(to: string, link: NamedLink): Mail {
  const intro = `Somebody set this address for the account ${link.account}. Follow the link within 24 hours to verify it:`;
  return mail(to, 'Verify your address', intro, [link]);
}

export function resetMail(to: string, links: readonly NamedLink[]): Mail {
  const intro =
    'Somebody asked for a new password. Follow a link within an hour to set one; otherwise do nothing:';
  return mail(to, 'Set a new password', intro, links);
}

function mail(to: string, subject: string, intro: string, links: readonly NamedLink[]): Mail {
  const lines = links.map(({ account, url }) => `${account}: ${url}`);
  const anchors = links.map(
    ({ account, url }) => `<p>${htmlText(account)}: <a href="${htmlText(url)}">${htmlText(url)}</a></p>`,
  );
  return {
    to,
    subject: `Palisade: ${subject}`,
    text: `${intro}\n\n${lines.join('\n')}\n`,
    html: `<!doctype html><html><body><p>${htmlText(intro)}</p>${anchors.join('')}</body></html>`,
  };
}
