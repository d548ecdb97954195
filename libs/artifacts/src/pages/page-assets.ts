import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BROWSER = fileURLToPath(new URL('../../browser/', import.meta.url));
const packages = createRequire(import.meta.url);

const browserFile = (name: string): string => readFileSync(join(BROWSER, name), 'utf8');

/** Files beside the entry of a package, which its exports do not name. */
const builtFile = (name: string, file: string): string =>
  readFileSync(join(dirname(packages.resolve(name)), file), 'utf8');

/** The interpreter comes as a module alone: what it imports is in the bundle of vega, which stands before it. */
function interpreterScript(): string {
  const source = builtFile('vega-interpreter', 'vega-interpreter.js')
    .replace(/^import \{([^}]*)\} from 'vega-util';$/m, 'const {$1} = vega;')
    .replace(/^export \{ expressionInterpreter as expressionInterpreter \};$|^export \{.*\};$/m, '')
    .replace(/^\/\/# sourceMappingURL=.*$/m, '');
  if (/^\s*(?:import|export)\b/m.test(source)) throw new Error('The build of vega-interpreter is not as it was.');
  return `(() => {${source}\nwindow.vegaInterpreter = { expressionInterpreter: expression };\n})();`;
}

export interface PageAsset {
  content: string;
}

const asset = (content: string): PageAsset => ({ content });

/** What is ours in a page. Each is read once, when it is first needed. */
export class PageAssets {
  private static kept: Partial<Record<'runtime' | 'shell' | 'style' | 'holder' | 'charts', PageAsset>> = {};

  static get runtime(): PageAsset {
    return (this.kept.runtime ??= asset(browserFile('page.js')));
  }

  static get shell(): PageAsset {
    return (this.kept.shell ??= asset(browserFile('shell.js')));
  }

  static get style(): PageAsset {
    return (this.kept.style ??= asset(browserFile('shell.css')));
  }

  /** The frame around the frame of a page, as a document. */
  static get holder(): PageAsset {
    return (this.kept.holder ??= asset(
      '<!doctype html><html><head><meta charset="utf-8"><title>Page</title>' +
        '<style>html,body,iframe{margin:0;border:0;padding:0;width:100%;height:100%;display:block}</style></head>' +
        `<body><script>${browserFile('holder.js')}</script></body></html>`,
    ));
  }

  /** Vega-Lite and what it needs, for `atrium.chart`: 0.8 MB, which the shell fetches when a page draws its first chart. */
  static get charts(): PageAsset {
    return (this.kept.charts ??= asset(
      [
        builtFile('vega', 'vega.min.js'),
        builtFile('vega-lite', 'vega-lite.min.js'),
        interpreterScript(),
        browserFile('charts.js'),
      ].join('\n;\n'),
    ));
  }
}
