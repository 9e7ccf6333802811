import { describe, expect, it } from 'vitest';
import { derivationLike } from './derivation.ts';
import { PasswordHasher } from './password-hasher.ts';
import { Throttle } from './throttle.ts';

describe('password hashes', () => {
  it('AC-035, AO-161: are Argon2id with 19 MiB, two passes and one lane, each with a salt of its own', async () => {
    const hasher = new PasswordHasher();
    const [one, other] = await Promise.all([
      hasher.hash('correct horse battery'),
      hasher.hash('correct horse battery'),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
    expect(await hasher.verify(one, 'correct horse battery')).toBe(true);
    expect(await hasher.verify(one, 'correct horse batterz')).toBe(false);
    expect(await hasher.verify(null, 'correct horse battery')).toBe(false);
    expect(await hasher.verify('not a hash', 'correct horse battery')).toBe(false);
  });

  it('RFC 9106: a hash that another program made of the same password verifies', async () => {
    const made =
      '$argon2id$v=19$m=19456,t=2,p=1$RjfYNMDq3+2SKZtW70PnwA$GIq/MteTJ75miPfwrhQlhZXcTySI1J+ouLGQbA67rJI';
    expect(await new PasswordHasher().verify(made, 'correct horse battery')).toBe(true);
  });

  it('RFC 8265: the same characters are the same password, however they are composed', async () => {
    const hasher = new PasswordHasher();
    expect(
      await hasher.verify(
        await hasher.hash('pâtés à la carte'.normalize('NFC')),
        'pâtés à la carte'.normalize('NFD'),
      ),
    ).toBe(true);
  });

  it('AC-035: two at once, thirty wait, and whoever comes then is told to come again; the event loop goes on', async () => {
    const hasher = new PasswordHasher();
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const hashes = Array.from({ length: 33 }, (_, i) => hasher.hash(`a password of ${i}`));
    await expect(hashes[32]).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 5_000,
      next: 'try again in a few seconds',
    });
    expect(new Set(await Promise.all(hashes.slice(0, 32))).size).toBe(32);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(32);
    expect(await hasher.hash('there is room again')).toContain('argon2id');
  });

  it('what is stored and was not made here is no hash', () => {
    for (const text of ['', '$argon2i$v=19$m=1,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA', '$2b$12$abc'])
      expect(derivationLike(text, 'x')).toBeNull();
  });
});

describe('the throttle of passwords', () => {
  const limited = { code: 'rate_limited' };
  const refused = (action: () => void): unknown => {
    try {
      action();
    } catch (error) {
      return error;
    }
    return null;
  };

  it('AC-036: five tries a minute for one name, thirty in all, by monotonic time', () => {
    let now = 0;
    const throttle = new Throttle(() => now);
    for (let i = 0; i < 5; i++) throttle.admit('ada');
    expect(refused(() => throttle.admit('ada'))).toMatchObject({ ...limited, retryAfterMs: 60_000 });
    for (let i = 0; i < 25; i++) throttle.admit(`name ${i}`);
    now = 20_500;
    expect(refused(() => throttle.admit('nobody yet'))).toMatchObject({
      ...limited,
      retryAfterMs: 39_500,
      next: 'try again in 40 seconds',
    });
    now = 59_999;
    expect(refused(() => throttle.admit('ada'))).toMatchObject(limited);
    now = 60_000;
    for (let i = 0; i < 5; i++) throttle.admit('ada');
    expect(refused(() => throttle.admit('ada'))).toMatchObject(limited);
  });

  it('AC-036: tries that were refused neither prolong it nor are remembered', () => {
    let now = 0;
    const throttle = new Throttle(() => now);
    for (let i = 0; i < 5; i++) throttle.admit('ada');
    for (now = 0; now < 60_000; now += 10) refused(() => throttle.admit('ada'));
    now = 60_000;
    expect(refused(() => throttle.admit('ada'))).toBeNull();
  });
});
