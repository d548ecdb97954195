import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

const LOOKUP_MS = 2000;

/** The DNS record that proves a domain to belong to those who registered an application for it. */
export interface ProofRecord {
  name: string;
  type: 'TXT';
  value: string;
}

export function newResolver(): Resolver {
  return new Resolver({ timeout: LOOKUP_MS, tries: 1 });
}

@Injectable()
export class DomainProof {
  constructor(private readonly resolver: Resolver) {}

  recordFor(domain: string, clientId: string): ProofRecord {
    return { name: `_atrium-challenge.${domain}`, type: 'TXT', value: `atrium-client=${clientId}` };
  }

  /** Whether the record stands in DNS; a look-up that fails or takes too long is no proof. */
  async stands({ name, value }: ProofRecord): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    // With several name servers the resolver tries one after the other.
    const tooLate = new Promise<string[][]>((resolve) => {
      timer = setTimeout(() => resolve([]), 2 * LOOKUP_MS);
    });
    try {
      const records = await Promise.race([this.resolver.resolveTxt(name).catch(() => []), tooLate]);
      return records.some((chunks) => chunks.join('') === value);
    } finally {
      clearTimeout(timer);
    }
  }
}
