import { faultOf, type ModelRequest, type ModelTool } from '@app/integrations';
import { estimatePromptTokens } from './token-estimate.js';
import { isTooLong } from './too-long.js';

/** Servers are set up anew: what they took some hours ago is asked for again. */
const REMEMBERED_MS = 2 * 60 * 60 * 1000;
const MOST_REMEMBERED = 500;
/** Of a prompt that was refused. */
const SHARE = 0.7;
/** What is refused though it is shorter is not refused for its length. */
const LEAST = 1_000;
const NOBODY = 0;

type Sent = ModelRequest & { tools?: readonly ModelTool[] };

/**
 * What one model at one endpoint turned out to take, where it takes less than its setting or our estimate says: each turn
 * would have to find it out again, by a call that is refused. Kept for each person: how far the estimate is off depends on
 * what somebody writes, and nobody's texts should make the window of others small.
 */
export class LearntWindow {
  /** By person; those who were refused last stand last. */
  private readonly known = new Map<number, { refused: number; at: number }>();

  /** Tokens of prompt and answer together; Infinity: nothing was refused. */
  tokensFor(userId: number = NOBODY): number {
    const known = this.known.get(userId);
    if (!known) return Infinity;
    if (performance.now() - known.at < REMEMBERED_MS) return Math.floor(known.refused * SHARE);
    this.known.delete(userId);
    return Infinity;
  }

  noteFailure(request: Sent, error: unknown): void {
    // Pictures are too many bytes for what stands before the endpoint.
    if (!isTooLong(error) || faultOf(error)?.status === 413 || hasImages(request)) return;
    const sent = estimatePromptTokens(request);
    if (sent < LEAST) return;
    const userId = request.usage?.userId ?? NOBODY;
    const refused = Math.min(sent, this.known.get(userId)?.refused ?? Infinity);
    this.known.delete(userId);
    this.known.set(userId, { refused, at: performance.now() });
    if (this.known.size > MOST_REMEMBERED) this.known.delete(this.known.keys().next().value!);
  }

  noteSuccess(request: Sent): void {
    const userId = request.usage?.userId ?? NOBODY;
    const known = this.known.get(userId);
    if (known && estimatePromptTokens(request) >= known.refused) this.known.delete(userId);
  }
}

function hasImages({ messages }: Sent): boolean {
  return messages.some((message) => message.role === 'user' && (message.images?.length ?? 0) > 0);
}
