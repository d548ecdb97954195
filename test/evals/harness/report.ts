import { writeFileSync } from 'node:fs';

export interface Verdict {
  id: string;
  category: string;
  /** Of each try. */
  tries: { complaints: { judge: string; complaint: string }[]; calls: number; tokens: number; seconds: number }[];
}

const passes = ({ complaints }: Verdict['tries'][number]) => complaints.length === 0;

/** How many tasks pass, by category: at least once, and each time (pass^k). */
export function toTable(verdicts: readonly Verdict[]): string {
  const rows = [...new Set(verdicts.map(({ category }) => category))].map((category) =>
    rowOf(
      category,
      verdicts.filter((one) => one.category === category),
    ),
  );
  const all = rowOf('all', verdicts);
  const k = Math.max(1, ...verdicts.map(({ tries }) => tries.length));
  const head = ['category', 'tasks', 'pass', `pass^${k}`, 'calls', 'tokens', 'seconds'];
  const lines = [head, ...rows, all];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines
    .map((line) =>
      line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '),
    )
    .join('\n');
}

function rowOf(name: string, verdicts: readonly Verdict[]): string[] {
  const tries = verdicts.flatMap((verdict) => verdict.tries);
  const mean = (of: (one: Verdict['tries'][number]) => number) =>
    tries.reduce((sum, one) => sum + of(one), 0) / Math.max(1, tries.length);
  return [
    name,
    String(verdicts.length),
    String(verdicts.filter((verdict) => verdict.tries.some(passes)).length),
    String(verdicts.filter((verdict) => verdict.tries.every(passes)).length),
    mean(({ calls }) => calls).toFixed(1),
    mean(({ tokens }) => tokens).toFixed(0),
    mean(({ seconds }) => seconds).toFixed(1),
  ];
}

export function writeReport(file: string, model: string, verdicts: readonly Verdict[]): void {
  writeFileSync(file, `${JSON.stringify({ model, at: new Date().toISOString(), verdicts }, null, 2)}\n`);
}
