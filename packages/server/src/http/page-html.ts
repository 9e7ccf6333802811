import { htmlText } from '@palisade/contracts';
/* The few pages that the server itself shows. They load nothing and run nothing, and what they say is made here. */

/**
 * No page of another origin frames one, and no link out of one tells its address, which holds a token. The address may be told to this
 * server, or browsers would send its forms without an origin.
 */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

export function messagePage(status: number, title: string, text: string): Response {
  return page(status, title, `<p>${htmlText(text)}</p>`);
}

/** One page for every link that is not good: used, replaced, expired, or never sent. */
export function expiredPage(): Response {
  return messagePage(
    410,
    'This link has expired',
    'It was used or replaced, or its time is over. Ask for another one.',
  );
}

/** The form for a new password; `told` says what was wrong with the last try. */
export function resetPage(status: number, action: string, token: string, told: string): Response {
  const field = (name: string, label: string): string =>
    `<p><label>${label} <input type="password" name="${name}" autocomplete="new-password" required></label></p>`;
  return page(
    status,
    'Set a new password',
    `${told === '' ? '' : `<p role="alert">${htmlText(told)}</p>`}<p>12 to 1024 bytes long.</p>` +
      `<form method="post" action="${action}"><input type="hidden" name="token" value="${htmlText(token)}">` +
      `${field('password', 'New password')}${field('confirmation', 'Again')}<p><button>Set it</button></p></form>`,
  );
}

function page(status: number, title: string, body: string): Response {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${htmlText(title)} - Palisade</title></head><body><h1>${htmlText(title)}</h1>${body}</body></html>\n`;
  return new Response(html, { status, headers: HEADERS });
}
