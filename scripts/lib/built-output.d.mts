export class BuiltOutput {
  constructor(root: string);
  changes(): Set<string>;
}
export function readDependencies(root: string): Map<string, string[]>;
export function appsToRestart(
  changed: ReadonlySet<string>,
  apps: readonly string[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): string[];
