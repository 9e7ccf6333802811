import { randomUUID } from 'node:crypto';
import type { HttpRig } from './http-rig.ts';

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a JSON answer. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface Asked {
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a form is. */
  readonly form?: Readonly<Record<string, string>>;
  /** Instead of what a page of the server would send; undefined leaves it out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A browser with a page of the server: it keeps the cookie, and sends with changes what such a page sends. */
export class Browser {
  readonly #url: string;
  readonly #origin: string;
  /** `name=value`, or nothing. */
  cookie = '';
  csrf: string | undefined;

  /** `origin` is the server's public one, where that is not the address it listens on. */
  constructor({ url }: Pick<HttpRig, 'url'>, origin = url) {
    this.#url = url;
    this.#origin = origin;
  }

  async send(method: string, path: string, { body, form, headers = {} }: Asked = {}): Promise<BrowserAnswer> {
    const isChange = method !== 'GET' && method !== 'HEAD';
    const told: Record<string, string | undefined> = {
      Cookie: this.cookie === '' ? undefined : this.cookie,
      Origin: isChange ? this.#origin : undefined,
      'X-CSRF-Token': isChange ? this.csrf : undefined,
      'Idempotency-Key': isChange ? randomUUID() : undefined,
      'Content-Type': body === undefined ? undefined : 'application/json',
      ...headers,
    };
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: Object.entries(told).filter((each): each is [string, string] => each[1] !== undefined),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      this.cookie = pair.endsWith('=') ? '' : pair;
    }
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    };
  }

  async signIn(username: string, password: string): Promise<BrowserAnswer> {
    const answer = await this.send('POST', '/v1/auth/login', { body: { username, password } });
    const { csrf_token: csrf } = answer.body;
    if (typeof csrf === 'string') this.csrf = csrf;
    return answer;
  }
}
