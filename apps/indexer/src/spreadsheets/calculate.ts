import { Worker } from 'node:worker_threads';
import type { CalculatedCell, CalculatedValue, CalculationAnswer, CalculationRequest } from './formula-messages.js';

/** What one workbook may have at most for its formulas to be computed: cells, and formulas among them. */
export const MOST_CALCULATED_CELLS = 300_000;
const MOST_FORMULAS = 100_000;
const LONGEST_MS = 45_000;

/** By sheet, row and column, from 0. */
export type CalculatedValues = ReadonlyMap<string, CalculatedValue>;

export const cellKey = (sheet: number, row: number, column: number): string => `${sheet}:${row}:${column}`;

/**
 * Computes the wanted cells in a thread of its own, which is ended when it takes too long. What cannot be computed, for
 * whatever reason, has no value: the import says so, and goes on.
 * @param program path of the compiled `formula-worker.js`
 */
export async function calculate(program: string, request: CalculationRequest): Promise<CalculatedValues> {
  const wanted = request.cells.filter((cell) => cell.wanted);
  if (wanted.length === 0 || wanted.length > MOST_FORMULAS || request.cells.length > MOST_CALCULATED_CELLS)
    return new Map();
  const answer = await runWorker(program, request);
  return new Map(
    wanted.map(({ sheet, row, column }: CalculatedCell, at) => [cellKey(sheet, row, column), answer?.[at] ?? null]),
  );
}

async function runWorker(program: string, request: CalculationRequest): Promise<CalculationAnswer | null> {
  const worker = new Worker(program, { workerData: request, env: {}, resourceLimits: { maxOldGenerationSizeMb: 384 } });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<CalculationAnswer | null>((resolve) => {
      timer = setTimeout(() => resolve(null), LONGEST_MS);
      worker.once('message', (answer: CalculationAnswer) => resolve(answer));
      // Circles without end, memory that ran out, a formula that the engine stumbles over: no value.
      worker.once('error', () => resolve(null));
      worker.once('exit', () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
