/** `npm run test:long` goes through all of each campaign; `npm test`, which people wait for, through a part of it. */
export const LONG = process.env.ATRIUM_LONG === '1';

/** @returns how many rounds a campaign has */
export const rounds = (long: number, short: number): number => (LONG ? long : short);

/** @returns by how much a campaign goes on that would take each place in its turn; 1 when it is a long one */
export const stride = (short: number): number => (LONG ? 1 : short);

/** What another test of `npm test` shows by a shorter road, which is named beside it. */
export const inLong = LONG ? it : it.skip;
