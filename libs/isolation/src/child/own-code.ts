import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What a process works on is data: nothing of it is loaded as a module.
 * @param data files, and folders (ending in `/*`), absolute
 */
export function loadOwnCodeOnly(data: readonly string[]): void {
  const files = new Set(data.filter((path) => !path.endsWith('/*')));
  const folders = data.filter((path) => path.endsWith('/*')).map((path) => path.slice(0, -1));
  if (data.length === 0) return;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const path = resolved.url.startsWith('file:') ? fileURLToPath(resolved.url) : resolved.url;
      if (path.includes(sep) && (files.has(path) || folders.some((folder) => path.startsWith(folder))))
        throw new Error('What this process works on is no code.');
      return resolved;
    },
  });
}
