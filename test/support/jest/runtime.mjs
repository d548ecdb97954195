import { existsSync } from 'node:fs';
import { createRequire, enableCompileCache, isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import Runtime from 'jest-runtime';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PACKAGES = path.join(ROOT, 'node_modules') + path.sep;
const SOURCE = /^((?:apps|libs)\/[^/]+)\/src\/(.+)\.ts$/;
const isOfTests = (file) => /\.spec(-support)?\.ts$/.test(file);

const load = createRequire(import.meta.url);
// Each worker loads some five thousand modules: what Node made of them, for the next one.
enableCompileCache(path.join(PACKAGES, '.cache/atrium/compiled'));

/** The build of a source of ours: what is delivered is what is tested. */
function builtFrom(source) {
  const [, workspace, name] = SOURCE.exec(path.relative(ROOT, source)) ?? [];
  if (!workspace || isOfTests(source)) return null;
  const built = path.join(ROOT, workspace, 'dist', `${name}.js`);
  if (!existsSync(built)) throw new Error(`${source} is not built: npm run build`);
  return built;
}

/** The same file of a package that our own code imports, where it has one for `import` and one for `require`. */
function asImported(name, file) {
  if (!file.startsWith(PACKAGES) || name.startsWith('.') || path.isAbsolute(name)) return file;
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch {
    return file;
  }
}

/**
 * Jest loads the tests and their support; what they test, and all packages, Node loads itself, once for each worker.
 * Jest would load both anew for each file: ten seconds of a processor for one that starts the api.
 */
export default class NativeRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    // Jest knows no other way to run in the scope that is there already.
    this.executor.compile = (source, filename) =>
      vm.compileFunction(source, this.executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModuleOrMock(from, name) {
    const file = this.#native(from, name);
    return file ? load(file) : super.requireModuleOrMock(from, name);
  }

  #native(from, name) {
    if (isBuiltin(name) || name === '@jest/globals') return null;
    const file = this._resolution.resolveCjs(from, name);
    if (file.includes(`${path.sep}node_modules${path.sep}`)) return asImported(name, file);
    // Scripts, which need no translation.
    return /\.[cm]?js$/.test(file) ? file : builtFrom(file);
  }
}
