/** `npm run test:long` goes through all of each campaign; `npm test`, which people wait for, through a part of it. */
export const LONG = process.env.ATRIUM_LONG === '1';

/** The figures that the reliability rules ask for: `npm run test:chaos` alone. */
export const FULL = process.env.ATRIUM_CHAOS === 'full';

const EVERYDAY = process.env.ATRIUM_TESTS === 'everyday';

/** @returns how many rounds a campaign has: in `test:long`, in `npm test -- --all`, and in `npm test` */
export const rounds = (long: number, short: number, everyday = short): number =>
  LONG ? long : EVERYDAY ? everyday : short;

/** @returns by how much a campaign goes on that would take each place in its turn; 1 when it is a long one */
export const stride = (short: number, everyday = short): number => rounds(1, short, everyday);

/** What takes long and shows one way more: part of `npm test -- --all`, and of whoever asks for its file (`jest/thorough.mjs`). */
export const inAll = EVERYDAY ? it.skip : it;

/** A corpus of cases that are alike: all of it, and in `npm test` one of each `every`. */
export const sample = <T>(cases: readonly T[], every: number): readonly T[] =>
  EVERYDAY ? cases.filter((_, at) => at % every === 0) : cases;

/** What another test of `npm test` shows by a shorter road, which is named beside it. */
export const inLong = LONG ? it : it.skip;

/**
 * For a campaign that does several things to the same places, as many as `ways`: a short one does to each place the one
 * whose turn it is, so that every place is met, and every way.
 * @returns whether this way is taken to the place
 */
export const isTurnOf = (way: number, ways: number, place: number): boolean => LONG || place % ways === way;
