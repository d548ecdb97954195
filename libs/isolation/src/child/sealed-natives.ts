import inspector from 'node:inspector';
import { Module } from 'node:module';
import os from 'node:os';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import { close, fix } from './refusal.js';

const MESSAGE = 'This process loads no more native code.';

/** @param modules absolute paths of the packages whose native code a program needs */
export async function loadNatives(modules: readonly string[]): Promise<void> {
  for (const path of modules) await import(pathToFileURL(path).href);
}

/**
 * From here on no library can be loaded, and nothing can be reached that could: native code stands outside of Node's
 * permissions, so a library that a program wrote into its own folder would end them.
 */
export function sealNatives(): void {
  dropAddons();
  close(process, ['dlopen', 'binding', '_linkedBinding', 'execve', '_debugProcess', '_debugEnd'], MESSAGE);
  close((Module as unknown as { _extensions: object })._extensions, ['.node'], MESSAGE);
  // Hooks run in a thread that is sealed by nobody; a cache of code is code.
  close(Module, ['register', 'registerHooks', 'enableCompileCache'], MESSAGE);
  // A debugger sees what scripts cannot.
  close(inspector, ['open', 'url'], MESSAGE);
  close(inspector.Session.prototype, ['connect', 'connectToMainThread', 'post'], MESSAGE);
  // Switches of the engine make scripts as free as native code; both others write files that nobody granted.
  close(v8, ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit'], MESSAGE);
  fix(process, 'report', undefined);
  closeOthers();
}

/** Where Node can: then what loads a library refuses by itself, from wherever it is called. */
function dropAddons(): void {
  const { permission } = process as { permission?: { drop?(scope: string): void } };
  permission?.drop?.('addon');
}

/** Signals are for itself alone: whoever started it, and its neighbours, belong to the same user. */
function closeOthers(): void {
  const own = process.pid;
  const { apply } = Reflect;
  for (const name of ['kill', '_kill'] as const) {
    const signal = (process as unknown as Record<typeof name, (pid: number, signal?: string | number) => unknown>)[
      name
    ];
    fix(process, name, (pid: unknown, which?: string | number) => {
      if (pid !== own) throw new Error('This process sends no signals to others.');
      return apply(signal, process, [pid, which]);
    });
  }
  close(os, ['setPriority'], 'This process changes no other.');
}
