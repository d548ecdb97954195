import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { HttpClient } from '../http-client.js';
import { type Attack, attacks, politeAttack } from './attacks.js';
import { build, type Cast } from './build.js';
import type { Description, Operation } from './description.js';
import type { ResponseCheck } from './response-check.js';
import { type Account, type Ground, makeAccount } from './stage.js';
import { sendRaw, type WireAnswer, type WireRequest } from './wire-call.js';

const MATRIX = readFileSync(join(__dirname, '../route-matrix.txt'), 'utf8');

export const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

export interface Course {
  seed: number;
  /** Generated requests per operation. */
  runs: number;
  /** Whether removing operations have no new user each. */
  sharesUsers: boolean;
}

/** Attacks one operation after another, with a user of its own. */
export class Lane {
  private user: Account | null = null;
  /** Whether something of the user's may be gone. */
  private isUsed = false;

  constructor(
    private readonly ground: Ground,
    private readonly cast: Omit<Cast, 'user'>,
    private readonly description: Description,
    private readonly check: ResponseCheck,
  ) {}

  /** The polite request first, then those of the seed. Each kind of complaint once, with a request that leads to it. */
  async complaintsAbout(operation: Operation, { seed, runs, sharesUsers }: Course): Promise<string[]> {
    if (removes(operation) && !sharesUsers) this.user = null;
    const found = new Map<string, string>();
    const generated = fc.sample(attacks(operation, this.description), { seed: seedOf(operation, seed), numRuns: runs });
    for (const attack of [politeAttack, ...generated]) {
      let { request, answer } = await this.exchange(attack, operation);
      // It may be gone, with another thing: what a polite request gets is seen on one that is there.
      if (attack === politeAttack && this.isUsed && answer.status >= 400 && isForOwners(operation)) {
        this.user = null;
        ({ request, answer } = await this.exchange(attack, operation));
      }
      const complaint = this.check.complaintAbout(operation, attack, answer);
      if (complaint && !found.has(complaint)) found.set(complaint, shown(request, answer));
      if (wasSignedOut(operation, attack, answer)) this.user = await this.successorOf(this.user!, operation);
    }
    this.isUsed ||= removes(operation);
    return [...found].map(([complaint, example]) => `${nameOf(operation)}: ${complaint}\n    ${example}`);
  }

  private async exchange(attack: Attack, operation: Operation): Promise<{ request: WireRequest; answer: WireAnswer }> {
    if (!this.user) {
      this.user = await makeAccount(this.ground);
      this.isUsed = false;
    }
    const request = build(attack, operation, { ...this.cast, user: this.user });
    return { request, answer: await sendRaw(this.ground.baseUrl, request) };
  }

  /** What ends sessions and accounts needs nothing else. */
  private async successorOf(user: Account, operation: Operation): Promise<Account | null> {
    return removes(operation) ? { ...user, client: await HttpClient.signUp(this.ground.baseUrl) } : null;
  }
}

/** Whether nothing may be left to do it with a second time. */
export function removes({ method, path }: Operation): boolean {
  return method === 'DELETE' || /logout|transfer|password|permanent/.test(path);
}

/** Or is no more. */
function wasSignedOut({ isPublic }: Operation, { caller }: Attack, { status }: WireAnswer): boolean {
  return caller === 'user' && status === 401 && !isPublic;
}

/** Whether the matrix of routes says that an owner gets through. */
function isForOwners({ method, path }: Operation): boolean {
  const route = `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')} `;
  const line = MATRIX.split('\n').find((one) => one.startsWith(route));
  return Number(line?.trim().split(' ').at(-1)) < 400;
}

/** An operation has the same course whichever others there are. */
function seedOf(operation: Operation, seed: number): number {
  return [...nameOf(operation)].reduce((mixed, letter) => (Math.imul(mixed, 31) + letter.charCodeAt(0)) | 0, seed);
}

function shown({ method, target, headers, body }: WireRequest, { status, text }: WireAnswer): string {
  const rest = JSON.stringify({ ...headers, authorization: headers.authorization?.slice(0, 5) });
  const sent = body?.toString().slice(0, 500) ?? '';
  return `${method} ${target.slice(0, 300)} ${rest.slice(0, 300)} ${sent} -> ${status} ${text.slice(0, 300)}`;
}
