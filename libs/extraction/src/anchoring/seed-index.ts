/** Codes that a seed has to share with the text. */
const SEED = 5;
const BUCKETS = 1 << 18;
const MOST_SEEDS = 24;
const MOST_PLACES = 3_000;
const MOST_WINDOWS = 8;

/** Finds seeds of quotes in a text; made once for all quotes. */
export class SeedIndex {
  private readonly heads: Int32Array;
  private readonly next: Int32Array;
  private readonly counts: Uint32Array;

  constructor(private readonly codes: Uint16Array) {
    this.heads = new Int32Array(BUCKETS).fill(-1);
    this.counts = new Uint32Array(BUCKETS);
    this.next = new Int32Array(Math.max(0, codes.length - SEED + 1));
    for (let at = this.next.length - 1; at >= 0; at -= 1) {
      const bucket = bucketOf(codes, at);
      this.next[at] = this.heads[bucket] ?? -1;
      this.heads[bucket] = at;
      this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    }
  }

  /** All places of a quote in their order, told by its rarest seed; null: too short, or that is not rare. */
  places(quote: Uint16Array): number[] | null {
    if (quote.length < SEED) return null;
    const [rarest] = this.seedsOf(quote);
    if (rarest === undefined || rarest.count > MOST_PLACES) return null;
    const places: number[] = [];
    for (let place = this.heads[rarest.bucket] ?? -1; place !== -1; place = this.next[place] ?? -1) {
      const start = place - rarest.at;
      if (start >= 0 && this.agree(start, quote, 0, quote.length)) places.push(start);
    }
    return places;
  }

  /** Where in the text the quote may begin, the likeliest first: places that its rarest seeds agree upon. */
  windows(quote: Uint16Array): number[] {
    const votes = new Map<number, number>();
    let places = 0;
    const seeds = this.seedsOf(quote).filter(({ count }) => count > 0);
    for (const { at, bucket } of seeds.slice(0, MOST_SEEDS)) {
      for (let place = this.heads[bucket] ?? -1; place !== -1 && places < MOST_PLACES; place = this.next[place] ?? -1) {
        places += 1;
        if (!this.agree(place, quote, at, SEED)) continue;
        const window = Math.max(0, place - at) >> 4;
        votes.set(window, (votes.get(window) ?? 0) + 1);
      }
    }
    const likely = [...votes].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MOST_WINDOWS * 2);
    // Neighbours are one place, parted by chance.
    const apart = likely.filter(
      ([window], rank) => !likely.slice(0, rank).some(([other]) => Math.abs(other - window) < 2),
    );
    return apart.slice(0, MOST_WINDOWS).map(([window]) => window << 4);
  }

  /** The rarest first. */
  private seedsOf(quote: Uint16Array): { at: number; bucket: number; count: number }[] {
    const seeds = Array.from({ length: Math.max(0, quote.length - SEED + 1) }, (_, at) => {
      const bucket = bucketOf(quote, at);
      return { at, bucket, count: this.counts[bucket] ?? 0 };
    });
    return seeds.toSorted((a, b) => a.count - b.count);
  }

  private agree(place: number, quote: Uint16Array, at: number, length: number): boolean {
    for (let offset = 0; offset < length; offset += 1)
      if (this.codes[place + offset] !== quote[at + offset]) return false;
    return true;
  }
}

function bucketOf(codes: Uint16Array, at: number): number {
  let hash = 0;
  for (let offset = 0; offset < SEED; offset += 1) hash = Math.imul(hash, 0x9e3779b1) + (codes[at + offset] ?? 0);
  hash ^= hash >>> 15;
  return (Math.imul(hash, 0x85ebca6b) >>> 13) & (BUCKETS - 1);
}
