import { DomainError } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Resolves when the dependency answers, rejects when it does not. */
export type HealthCheck = () => Promise<void>;

export interface HealthReport {
  status: 'ok' | 'unavailable';
  /** `code` where a check fails with an error that has one. */
  checks: Record<string, { status: 'ok' | 'unavailable'; latency_ms: number; code?: string }>;
}

const CHECK_TIMEOUT_MS = 2000;

/** The dependencies without which a process cannot do its work (docs/contract/administration.md#health). */
@Injectable()
export class HealthRegistry {
  private readonly checks = new Map<string, { check: HealthCheck; isNeeded: boolean }>();
  private draining = false;
  private last: HealthReport['checks'] = {};
  private asking: Promise<HealthReport['checks']> | undefined;

  register(name: string, check: HealthCheck): void {
    this.checks.set(name, { check, isNeeded: true });
  }

  /** Shown, but a process without it goes on with the rest of its work and stays ready. */
  registerOptional(name: string, check: HealthCheck): void {
    this.checks.set(name, { check, isNeeded: false });
  }

  /** From now on not ready, so that a load balancer stops sending work. */
  drain(): void {
    this.draining = true;
  }

  async report(): Promise<HealthReport> {
    // A load balancer is to learn of it in time, however busy the dependencies are.
    if (this.draining) return { status: 'unavailable', checks: this.last };
    // Nobody's probes are counted: however many come at once, the dependencies are asked once.
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    this.last = await this.asking;
    // It may have begun to drain meanwhile.
    const healthy =
      !this.draining &&
      Object.entries(this.last).every(([name, { status }]) => status === 'ok' || !this.checks.get(name)?.isNeeded);
    return { status: healthy ? 'ok' : 'unavailable', checks: this.last };
  }

  private async ask(): Promise<HealthReport['checks']> {
    const entries = [...this.checks].map(async ([name, { check }]) => [name, await measure(check)] as const);
    return Object.fromEntries(await Promise.all(entries));
  }
}

async function measure(check: HealthCheck): Promise<HealthReport['checks'][string]> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), CHECK_TIMEOUT_MS);
  });
  const result = await Promise.race([check(), timeout]).then(
    () => ({ status: 'ok' as const }),
    (error: unknown) => ({
      status: 'unavailable' as const,
      ...(error instanceof DomainError && { code: error.code }),
    }),
  );
  clearTimeout(timer);
  return { ...result, latency_ms: Math.round(performance.now() - started) };
}
