import { createHmac } from 'node:crypto';
import { hash } from 'bcrypt';
import { PasswordHasher } from './password-hasher.js';
import { passwordProblems } from './password-rules.js';
import { cpuStopwatch } from '../../../../test/support/timing.js';

describe('passwordProblems', () => {
  const subject = { username: 'margaret', email: 'mh@apollo.example', firstName: 'Margaret', lastName: 'Hamilton' };
  it.each([
    ['Margaret~X7', ['The password is too similar to the username.']],
    ['hamilton77', ['The password is too similar to the last name.']],
    ['mh@apollo.exampl', ['The password is too similar to the email address.']],
    ['x9!k', ['This password is too short. It must contain at least 8 characters.']],
    ['password1', ['This password is too common.']],
    ['48291048273', ['This password is entirely numeric.']],
    ['٤٨٢٩١٠٤٨٢٧٣', ['This password is entirely numeric.']],
    ['😀🎈🌊🏔🎻🦊🌵', ['This password is too short. It must contain at least 8 characters.']],
    ['😀🎈🌊🏔🎻🦊🌵🧊', []],
    ['1234567', 3],
    ['correct horse battery', []],
  ])('%s', (password, expected) => {
    const problems = passwordProblems(password, subject);
    if (typeof expected === 'number') expect(problems).toHaveLength(expected);
    else expect(problems).toEqual(expected);
  });
});

describe('PasswordHasher', () => {
  const hasher = new PasswordHasher(4);

  it('tells passwords apart beyond the 72 bytes and the NUL at which bcrypt stops', async () => {
    const stored = await hasher.hash(`${'a'.repeat(80)}\0b`);
    expect(await hasher.verify(`${'a'.repeat(80)}\0b`, stored)).toBe(true);
    expect(await hasher.verify(`${'a'.repeat(80)}\0c`, stored)).toBe(false);
    expect(await hasher.verify('a'.repeat(80), stored)).toBe(false);
  });

  it('knows a password from whichever keyboard, also where what was typed was hashed', async () => {
    const stored = await hasher.hash('Cafe\u0301');
    expect(await hasher.verify('Caf\u00e9', stored)).toBe(true);
    expect(await hasher.verify('Cafe', stored)).toBe(false);
    const typed = await hash(createHmac('sha256', 'atrium:password').update('Cafe\u0301').digest('base64url'), 4);
    expect(await hasher.verify('Cafe\u0301', typed)).toBe(true);
  });

  it('does the same work without an account', async () => {
    const slow = new PasswordHasher(10);
    const stored = await slow.hash('some password');
    const time = async (passwordHash: string | null) => {
      const worked = cpuStopwatch();
      expect(await slow.verify('another one', passwordHash)).toBe(false);
      return worked();
    };
    await time(null);
    const [known, unknown] = [await time(stored), await time(null)];
    expect(unknown).toBeGreaterThan(known / 3);
  });

  it('serves a crowd one after the other, and leaves the event loop free', async () => {
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 1);
    const results = await Promise.all(Array.from({ length: 40 }, () => hasher.verify('x', null)));
    clearInterval(ticking);
    expect(results).toHaveLength(40);
    expect(ticks).toBeGreaterThan(3);
  });
});
