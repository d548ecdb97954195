import { sameWord } from './words.js';

/** What the words of names are shortened to, and what each stands for. */
const SHORT: Readonly<Record<string, string>> = {
  acct: 'account',
  addr: 'address',
  amt: 'amount',
  appt: 'appointment',
  avg: 'average',
  bal: 'balance',
  baths: 'bathrooms',
  bday: 'birthday birth',
  beds: 'bedrooms',
  cat: 'category',
  cnt: 'count',
  comm: 'commission',
  cust: 'customer',
  dept: 'department',
  desc: 'description',
  disc: 'discount',
  dist: 'distance',
  dob: 'birth birthday',
  dur: 'duration',
  emp: 'employee',
  ft: 'feet foot footage',
  hrs: 'hours',
  inv: 'invoice',
  lat: 'latitude',
  lng: 'longitude',
  loc: 'location',
  lon: 'longitude',
  long: 'longitude',
  lvl: 'level',
  max: 'maximum',
  mfr: 'manufacturer',
  mgr: 'manager',
  min: 'minimum',
  mins: 'minutes',
  mktg: 'marketing',
  num: 'number',
  ord: 'order',
  pct: 'percent',
  pmt: 'payment',
  pop: 'population',
  pos: 'position',
  precip: 'precipitation',
  prod: 'product',
  qty: 'quantity',
  rev: 'revenue',
  sal: 'salary',
  sq: 'square',
  tel: 'phone',
  temp: 'temperature',
  tkt: 'ticket',
  tot: 'total',
  txn: 'transaction',
  whse: 'warehouse',
  yr: 'year',
  yrs: 'years',
};
const LONG: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SHORT).map(([short, long]) => [short, long.split(' ')]),
);

/** Whether a word is the long form of a part of a name: "quantity" of `qty`. */
export function isLongFor(word: string, part: string): boolean {
  return LONG.get(part)?.some((long) => sameWord(word, long)) === true;
}

/** Short names that are words of their own: who asks for cats means no category. */
const WORDS = new Set(['cat', 'disc', 'pos']);

/** Whether somebody who asks writes a name short: "qty" of `quantity`. */
export function isShortFor(word: string, part: string): boolean {
  return !WORDS.has(word) && isLongFor(part, word);
}

/** The part of a name in full: `invoice` of `inv`; itself where it is no short one. */
export function inFull(part: string): string {
  return LONG.get(part)?.[0] ?? part;
}
