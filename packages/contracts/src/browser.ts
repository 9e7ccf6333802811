/** A cookie as the HTTP layer sets it. An empty value with `maxAge` 0 takes it away. */
export interface SessionCookie {
  readonly name: string;
  readonly value: string;
  /** `maxAge` is in seconds. */
  readonly attributes: {
    readonly path: '/';
    readonly httpOnly: true;
    readonly sameSite: 'Strict';
    readonly secure: boolean;
    readonly maxAge: number;
  };
}

/** The browser that made a call. */
export interface Browser {
  /** What its session cookie holds: of a call that asks for a scope a session that is good, else whatever was sent. */
  readonly session: string | undefined;
  /** Has the answer set a cookie. */
  setCookie(cookie: SessionCookie): void;
}
