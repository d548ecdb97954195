import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instruments } from '@app/observability';
import { parse } from 'yaml';

const FOLDER = join(__dirname, '../../docker/monitoring');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

/** Told when a process starts its metrics, or connects. */
const LATE = ['atrium_backlog_waiting', 'atrium_backlog_oldest_seconds', 'atrium_database_connections', 'up'];
const LABELS_OF_ALL = ['app', 'instance', 'job', 'le', 'state', 'work'];

interface Metric {
  name: string;
  labelNames?: string[];
}

describe('the dashboard and the alerts', () => {
  const registry = instruments.startMetrics('api');
  const metrics = new Map(
    registry.getMetricsAsArray().map((metric) => [metric.name, metric as unknown as Metric] as const),
  );
  const rules = (
    parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string; annotations: object }[] }[] }
  ).groups[0]!.rules;
  const panels = (
    JSON.parse(read('grafana-dashboard.json')) as { panels: { title: string; targets?: { expr: string }[] }[] }
  ).panels;
  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ];

  it.each(expressions)('%s asks for series that there are', (_title, expr) => {
    const names = expr.match(/\b(?:atrium|http|process|nodejs)_[a-z0-9_]+|\bup\b/g) ?? [];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const known = [name, name.replace(/_(?:bucket|count|sum)$/, '')].find(
        (each) => metrics.has(each) || LATE.includes(each),
      );
      expect([name, known]).toEqual([name, expect.any(String)]);
      const labels = [...expr.matchAll(/(?:by \(|\{)([a-z, ]+)/g)]
        .flatMap(([, list]) => list!.split(','))
        .map((each) => each.trim());
      const allowed = [...LABELS_OF_ALL, ...(metrics.get(known!)?.labelNames ?? [])];
      expect(labels.filter((label) => label !== '' && !allowed.includes(label))).toEqual([]);
    }
  });

  it('say what to do about each alert', () => {
    for (const { annotations } of rules)
      expect(annotations).toEqual({ summary: expect.any(String), action: expect.any(String) });
  });

  it('leave no instrument of the domain unseen', () => {
    const text = expressions.map(([, expr]) => expr).join('\n');
    const unseen = [...metrics.keys(), ...LATE].filter((name) => name.startsWith('atrium_') && !text.includes(name));
    expect(unseen).toEqual([]);
  });
});
