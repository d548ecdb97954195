import type { EndpointFault } from './endpoint-fault.js';
import type { Refusal } from './refusals.js';

/** No endpoint refuses everything. */
const MAX_ADAPTATIONS = 6;

/**
 * What has been learned of one model at one endpoint: what it refuses of our requests. Asked once, it is not asked so
 * again for as long as the process lives. Bounded by the vocabulary.
 */
export class RequestHabits {
  private readonly known: Set<Refusal>;

  /** @param known what is refused beyond doubt */
  constructor(known: readonly Refusal[] = []) {
    this.known = new Set(known);
  }

  begin(): RequestTrial {
    return new RequestTrial(this.known);
  }
}

/** One request, which is said otherwise when it is refused. */
export class RequestTrial {
  private readonly own = new Set<Refusal>();

  constructor(private readonly known: Set<Refusal>) {}

  avoids(what: Refusal): boolean {
    return this.known.has(what) || this.own.has(what);
  }

  /**
   * @param sent of what can be refused, what was in the request
   * @returns whether the request is worth being sent again, otherwise
   */
  adapt(fault: EndpointFault, sent: readonly Refusal[]): boolean {
    if (this.own.size >= MAX_ADAPTATIONS) return false;
    const refused = fault.refused.filter((one) => sent.includes(one) && !this.avoids(one));
    const [first] = refused;
    if (first === undefined) return false;
    // A schema that need not be kept strictly is tried before the words.
    const given = first === 'strict' ? [first] : refused;
    for (const one of given) this.own.add(one);
    if (fault.isTooMuch && (first === 'max_tokens' || first === 'max_completion_tokens')) {
      this.own.add('max_tokens');
      this.own.add('max_completion_tokens');
    }
    return true;
  }

  /** The endpoint took the request as it is now. */
  keep(): void {
    for (const one of this.own) this.known.add(one);
  }
}
