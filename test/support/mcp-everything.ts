import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.js';
import { until } from './until.js';

export interface EverythingServer {
  /** Of its MCP endpoint. */
  url: string;
  /** `127.0.0.1:<port>`. */
  host: string;
  /** Begins anew on the same port: its sessions are forgotten. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The reference server of the protocol's own project, as a process. */
export async function startEverything(mode: 'streamableHttp' | 'sse'): Promise<EverythingServer> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async () => {
    const entry = join(
      dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
      'dist/index.js',
    );
    child = spawn(process.execPath, [entry, mode], {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: 'ignore',
    });
    await until(async () => (await fetch(`http://${host}/`).catch(() => null)) !== null);
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await start();
  return {
    host,
    url: `http://${host}${mode === 'sse' ? '/sse' : '/mcp'}`,
    restart: async () => {
      await stop();
      await start();
    },
    stop,
  };
}
