import {
  type ApartAnswer,
  holdsJsonText,
  JsonText,
  looksStored,
  measureJson,
  type OutputHint,
  STORED_KEY,
  type StoredOutput,
  ToolError,
  toOutputHint,
  writeJson,
} from '@app/workflow-definition';
import { type ClaimedRun, heldBytes, isHeld, type RunStore } from '@app/workflows';

const KB = 1024;
const MB = 1024 * KB;
/** What is large goes to the file storage on its way to the row. */
export const MAX_OUTPUT_BYTES = 20 * MB;
/** Of all nodes of a run together. */
export const MAX_RUN_OUTPUT_BYTES = 128 * MB;
/** What stays as objects: of a node, and of all nodes of a run together, in bytes of the heap. */
const MAX_LIVE_WEIGHT = 64 * KB;
const MAX_RUN_LIVE_WEIGHT = 2 * MB;
/** What stays in memory as text; the rest lies in the file storage. */
const MAX_TEXT_BYTES = 64 * KB;
const MAX_RUN_TEXT_BYTES = 3 * MB;

export interface HeldOutput {
  output: unknown;
  bytes: number;
}

type Kept = [source: Parameters<RunStore['keepOutput']>[1], hint: OutputHint | null];
type Answered = Exclude<ApartAnswer, { failed: unknown }>;

/** Where the outputs of one run are kept, so that what a process holds in memory does not grow with them. */
export class OutputHolder {
  private bytes = 0;
  private liveWeight = 0;
  private textBytes = 0;

  constructor(
    run: ClaimedRun,
    private readonly keepApart: (...kept: Kept) => Promise<StoredOutput>,
  ) {
    for (const { output } of run.nodes) {
      if (!isHeld(output)) continue;
      this.bytes += heldBytes(output);
      if (output instanceof JsonText) this.textBytes += output.bytes;
    }
  }

  /** An output that was made here. @throws ToolError `invalid_output`, `output_too_large` */
  hold(output: unknown): HeldOutput | Promise<HeldOutput> {
    if (holdsJsonText(output)) return this.holdText(new JsonText(writeJson(output)), toOutputHint(output), null);
    const size = measureJson(output, MAX_OUTPUT_BYTES);
    if (!size) throw new ToolError('invalid_output', 'The output cannot be written as JSON.', false);
    if (
      size.weight <= MAX_LIVE_WEIGHT &&
      this.liveWeight + size.weight <= MAX_RUN_LIVE_WEIGHT &&
      !wouldBeStored(output)
    ) {
      this.count(size.bytes);
      this.liveWeight += size.weight;
      return { output, bytes: size.bytes };
    }
    if (size.bytes > MAX_OUTPUT_BYTES) throw tooLarge();
    return this.holdText(new JsonText(writeJson(output)), toOutputHint(output), null);
  }

  /** An output that another process made. */
  adopt({ size, output, hint }: Answered, path: string): HeldOutput | Promise<HeldOutput> {
    if (!('text' in output)) {
      this.count(size.bytes);
      return this.keep({ path, preview: output.preview }, hint);
    }
    return this.holdText(new JsonText(output.text), hint, size.weight);
  }

  private holdText(json: JsonText, hint: OutputHint, weight: number | null): HeldOutput | Promise<HeldOutput> {
    if (json.bytes > MAX_OUTPUT_BYTES) throw tooLarge();
    this.count(json.bytes);
    if (json.bytes <= MAX_TEXT_BYTES && looksStored(json)) return this.keep(json, hint);
    if (weight !== null && weight <= MAX_LIVE_WEIGHT && this.liveWeight + weight <= MAX_RUN_LIVE_WEIGHT) {
      this.liveWeight += weight;
      return { output: json.parse(), bytes: json.bytes };
    }
    if (json.bytes > MAX_TEXT_BYTES || this.textBytes + json.bytes > MAX_RUN_TEXT_BYTES) return this.keep(json, hint);
    this.textBytes += json.bytes;
    return { output: json, bytes: json.bytes };
  }

  private async keep(...kept: Kept): Promise<HeldOutput> {
    const stored = await this.keepApart(...kept);
    return { output: stored, bytes: stored.file.size };
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= MAX_RUN_OUTPUT_BYTES) return;
    const message = `The outputs of this run are larger than ${MAX_RUN_OUTPUT_BYTES} bytes together.`;
    throw new ToolError('output_too_large', message, false);
  }
}

function wouldBeStored(output: unknown): boolean {
  return typeof output === 'object' && output !== null && Object.hasOwn(output, STORED_KEY);
}

function tooLarge(): ToolError {
  return new ToolError('output_too_large', `The output is larger than ${MAX_OUTPUT_BYTES} bytes.`, false);
}
