import type { ChildProcess } from 'node:child_process';

export const APPS: readonly string[];
export function launchApp(options: {
  name: string;
  env: NodeJS.ProcessEnv;
  log: { fd: number; file: string };
  readyUrl: string;
  inspectAt?: number | undefined;
  hear?: (message: object) => void;
  track: (child: ChildProcess) => void;
}): Promise<ChildProcess>;
