import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { listSettings } from '@app/config';
import { anchorsOf, codeOf, linksOf, repositoryPathsIn, routeExists, routesIn } from '../support/markdown.js';

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const glob = (patterns: string[]) =>
  globSync(patterns, { cwd: root, exclude: (name) => ['node_modules', 'dist'].includes(name) }).toSorted();

const PAGES = glob(['*.md', 'docs/**/*.md', 'docker/*.md', 'test/bench/README.md']);
const SOURCES = glob([
  '{apps,libs}/*/src/**/*.{ts,mjs}',
  'test/**/*.{ts,mjs}',
  'scripts/**/*.{mjs,sh}',
  'docker/**/*',
  '.ci/*',
  '*.{mjs,cjs}',
]).filter((path) => !/\/(corpora|fixtures|__snapshots__)\/|\.json$/.test(path) && /\.\w+$|Dockerfile|run$/.test(path));
const pages = new Map(PAGES.map((page) => [page, read(page)]));

/** The names of an operator's commands, such as `users approve`, as they stand in the code: loading it takes seconds. */
function adminCommands(): Set<string> {
  const names = new Set<string>();
  for (const file of glob(['apps/api/src/cli/admin/*.ts'])) {
    const groups = new Map([['program', '']]);
    for (const statement of read(file).split(/;\n/)) {
      const begun = /(?:const (\w+) = )?\b(\w+)\s*\.command\('/.exec(statement);
      if (!begun) continue;
      const [, group, parent] = begun;
      let name = groups.get(parent!) ?? '';
      for (const [, command] of statement.matchAll(/\.command\('([\w-]+)/g)) {
        name = `${name} ${command}`.trim();
        names.add(name);
      }
      if (group) groups.set(group, name);
    }
  }
  // What `npm run admin` does by itself, beside the commands of the api.
  for (const [, own] of read('scripts/admin.mjs').matchAll(/args\.join\(' '\) === '([^']+)'/g)) names.add(own!);
  return names;
}

/** @returns what is wrong with a pointer to a page, perhaps with an anchor; null when it leads somewhere */
function problemOf(target: string): string | null {
  const [path = '', anchor] = target.split('#');
  if (!existsSync(join(root, path))) return 'no such file';
  if (!anchor) return null;
  return anchorsOf(pages.get(path) ?? read(path)).has(anchor) ? null : 'no such section';
}

/** Names that examples make up, and those of OpenTelemetry, which its own library reads. */
const EXAMPLES = /^(?:(?:LARGE|OPENAI|AZURE|CLAUDE|GEMINI)_KEY|AWS_SECRET|OTEL_\w+)$/;
/** Pages of the web app, to which the api leads browsers. */
const OF_WEB_APPS = new Set(['/oauth/consent']);
/** Served on the origin of pages, by a listener of its own (apps/api/src/pages/page-routes.ts). */
const OF_PAGES = /^[A-Z]+ \/artifacts\/\{id\}\/(?:render|data|token|public)\/$/;

describe('the documents', () => {
  it('lead to pages, sections and files that are there', () => {
    const broken = [...pages].flatMap(([page, text]) =>
      linksOf(text).flatMap((link) => {
        const [path = '', anchor] = link.split('#');
        const file = path === '' ? page : relative(root, resolve(root, dirname(page), path));
        const problem = problemOf(anchor ? `${file}#${anchor}` : file);
        return problem ? [`${page}: ${link}: ${problem}`] : [];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('name files of the repository that are there', () => {
    const broken = [...pages].flatMap(([page, text]) =>
      repositoryPathsIn(codeOf(text))
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(broken).toEqual([]);
  });

  it('are all on the map', () => {
    const reached = new Set<string>(['docs/README.md']);
    for (const page of reached)
      for (const link of linksOf(pages.get(page) ?? '')) {
        const file = relative(root, resolve(root, dirname(page), link.split('#')[0]!));
        if (pages.has(file)) reached.add(file);
      }
    expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
  });

  it('name commands that npm knows', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const broken = [...pages].flatMap(([page, text]) =>
      [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)]
        .filter(([, name]) => !Object.hasOwn(scripts, name!))
        .map(([command]) => `${page}: ${command}`),
    );
    expect(broken).toEqual([]);
  });

  it('name benchmarks that are there', () => {
    const broken = [...pages].flatMap(([page, text]) =>
      [...text.matchAll(/npm run bench -- ([\w/-]+)/g)]
        .filter(([, name]) => !existsSync(join(root, 'test/bench', `${name}.mjs`)))
        .map(([command]) => `${page}: ${command}`),
    );
    expect(broken).toEqual([]);
  });

  it('name commands that operators have', () => {
    const commands = adminCommands();
    expect([...commands]).toEqual(
      expect.arrayContaining(['users approve', 'sso setup-token', 'organizations scim-token create']),
    );
    const broken = [...pages].flatMap(([page, text]) =>
      [...text.matchAll(/(?:npm run admin --|admin\.js) ([a-z][a-z-]*)(?: ([a-z][a-z-]+))?/g)]
        .filter(([, group, name]) => {
          if (!commands.has(group!)) return true;
          const hasParts = [...commands].some((command) => command.startsWith(`${group} `));
          return hasParts && name !== undefined && !commands.has(`${group} ${name}`);
        })
        .map(([command]) => `${page}: ${command}`),
    );
    expect(broken).toEqual([]);
  });

  it('name settings that are there', () => {
    const known = new Set(listSettings().map(({ env }) => env));
    // What is no setting of the apps is read by scripts, tests, containers or libraries.
    const elsewhere = SOURCES.filter((path) => /^(scripts|test|docker|\.ci)\//.test(path) || path.includes('telemetry'))
      .map(read)
      .join('\n');
    const broken = [...pages].flatMap(([page, text]) =>
      [...new Set(codeOf(text).match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [])]
        .filter((name) => !known.has(name) && !elsewhere.includes(name) && !EXAMPLES.test(name))
        .map((name) => `${page}: ${name}`),
    );
    expect(broken).toEqual([]);
  });

  it('name every stage that channels tell of', () => {
    const told = SOURCES.filter((file) => /^(?:apps|libs)\//.test(file) && !file.endsWith('.spec.ts')).flatMap((file) =>
      [...read(file).matchAll(/'(stage:[a-z_]+)'/g)].map(([, stage]) => stage!),
    );
    const contract = [...pages].filter(([page]) => page.startsWith('docs/contract/')).map(([, text]) => text);
    expect(told.length).toBeGreaterThan(20);
    expect([...new Set(told)].filter((stage) => !contract.some((text) => text.includes(`\`${stage}`)))).toEqual([]);
  });

  it('name routes that are there', () => {
    // `route-matrix.spec.ts` keeps the list equal to the routes of the OpenAPI document.
    const listed = read('test/support/route-matrix.txt')
      .split('\n')
      .map((line) => /^([A-Z]+) (\/\S*)/.exec(line))
      .filter((match) => match !== null)
      .map(([, method, path]) => ({ method: method!, path: path! }));
    const broken = [...pages].flatMap(([page, text]) =>
      routesIn(codeOf(text))
        .filter((route) => !OF_WEB_APPS.has(route.path) && !OF_PAGES.test(route.said) && !routeExists(route, listed))
        .map(({ said }) => `${page}: ${said}`),
    );
    expect(broken).toEqual([]);
  });

  it('README.md is read in a minute', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });
});

/** Texts that are not in this repository, by the names that they once had here. */
const OUTSIDE = [
  /\b[Dd]ocuments? [123],? (?:section|[ABC] ?\d|\d\.\d)/,
  /\bspec(?:ification)? [123]\b/i,
  /\b[Rr]eliability,? \(?C\d/,
  /\b(?:rule|shape|record|kinds) of [ABC]\d/,
  /\b[ABC]\d{1,2}\.\d rule\b/,
  /\bissue #?\d+\b/i,
  /\bshared\/(?:spec|design)\b/,
  /["'`( ]\/work\//,
  /\bDECISIONS(?:\.md|,)/,
];

describe('references of the code', () => {
  const self = relative(root, __filename);
  const sources = SOURCES.filter((path) => path !== self).map((path) => ({ path, text: read(path) }));

  it('lead to pages and sections of this repository', () => {
    const broken = [...sources, ...[...pages].map(([path, text]) => ({ path, text }))].flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w/.-])(?:docs|docker|test\/bench)\/[\w/-]+\.md(?:#[\w-]+)?/g)].flatMap(([target]) => {
        const problem = problemOf(target);
        return problem ? [`${path}: ${target}: ${problem}`] : [];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('lead nowhere outside of it', () => {
    const broken = sources.flatMap(({ path, text }) =>
      OUTSIDE.flatMap((outside) => {
        const found = outside.exec(text);
        return found ? [`${path}: ${found[0]}`] : [];
      }),
    );
    expect(broken).toEqual([]);
  });
});
