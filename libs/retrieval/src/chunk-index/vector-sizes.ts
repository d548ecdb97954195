import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { measureVectors } from './vector-bytes.js';

/** How long a figure stands at least; one that took long to measure stands as many times longer as `REST` says. */
const STAND_MS = 60_000;
const REST = 500;

export interface VectorSize {
  bytes: number;
  measuredAt: Date;
}

/** What the vectors of people take, measured now and then: their rows are counted, of which somebody may have very many. */
@Injectable()
export class VectorSizes {
  private readonly known = new LRUCache<string, VectorSize>({ max: 5000 });
  private readonly measuring = new Map<string, Promise<VectorSize>>();

  constructor(private readonly dataSource: DataSource) {}

  /** @param key of the pool @param owners the accounts that it is of */
  async of(key: string, owners: () => Promise<readonly number[]> | readonly number[]): Promise<VectorSize> {
    const known = this.known.get(key);
    if (known) return known;
    // Those who ask meanwhile wait for the same answer.
    const measuring = this.measuring.get(key) ?? this.measure(key, owners).finally(() => this.measuring.delete(key));
    this.measuring.set(key, measuring);
    return measuring;
  }

  private async measure(
    key: string,
    owners: () => Promise<readonly number[]> | readonly number[],
  ): Promise<VectorSize> {
    const began = performance.now();
    const measuredAt = new Date();
    const size = { bytes: await measureVectors(this.dataSource, await owners()), measuredAt };
    this.known.set(key, size, { ttl: Math.max(STAND_MS, REST * (performance.now() - began)) });
    return size;
  }
}
