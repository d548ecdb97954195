/** The ids that GitHub gives to the headings of a page. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutFences(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Where the links of a page lead that stay within the repository. */
export function linksOf(markdown: string): string[] {
  const text = withoutFences(markdown).replaceAll(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link));
}

/** What a page shows as code: spans and blocks. */
export function codeOf(markdown: string): string {
  const blocks = [...markdown.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block]) => block);
  const spans = [...withoutFences(markdown).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
  return [...blocks, ...spans].join('\n');
}

/** Paths of folders and files of the repository; patterns and names with gaps are left out. */
export function repositoryPathsIn(code: string): string[] {
  const found = code.matchAll(/(?<![\w/.@$~-])(?:apps|libs|test|scripts|docs|docker|\.ci)\/[\w./*<>{}@-]*/g);
  return (
    [...found]
      .map(([path]) => path.replace(/[.,:]+$/, ''))
      // What is built, and what a run leaves, is no part of the repository.
      .filter((path) => !/[*<>{}]|\/dist(\/|$)|\/\.env$|^docker\/secrets(\/|$)|-\d+\./.test(path))
  );
}

export interface NamedRoute {
  said: string;
  method: string | null;
  path: string;
}

const ROUTE =
  /(?:((?:GET|POST|PUT|PATCH|DELETE|HEAD)(?:\|(?:GET|POST|PUT|PATCH|DELETE|HEAD))*) )?(?<![\w$}>.…/:-])(\/(?:api\/v1|users|semantic-search|database-search|spreadsheet-search|microservices|mcp-servers|artifacts|media|secure-gpt|scim|audit|oauth|workflow|hooks|ws)\/[^\s`"'?,;)]*)/g;

/** The routes that a text names whole; what is shortened with an ellipsis is left out. */
export function routesIn(code: string): NamedRoute[] {
  return [...code.matchAll(ROUTE)].flatMap(([said, methods, path]): NamedRoute[] => {
    if (path!.includes('…')) return [];
    const clean = path!.replace(/[.:\]|]+$/, '').replaceAll(/\$\w+|<[^>]*>|\{[^}]*\}|:\w+/g, ':x');
    return methods === undefined
      ? [{ said, method: null, path: clean }]
      : methods.split('|').map((method) => ({ said, method, path: clean }));
  });
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean);

/** Whether a route, or the folder of some, is named; sockets are not listed and stand here. */
export function routeExists(named: NamedRoute, listed: readonly { method: string; path: string }[]): boolean {
  const wanted = segmentsOf(named.path);
  if (wanted[0] === 'ws' && ['workflow', 'chat', 'dedicated-agent', 'ticket'].includes(wanted[1] ?? '')) return true;
  return listed.some(({ method, path }) => {
    if (named.method !== null && named.method !== 'HEAD' && named.method !== method) return false;
    const there = segmentsOf(path);
    const isWhole = there.length === wanted.length || there.some((segment) => segment.startsWith('*'));
    if (named.method !== null && !isWhole) return false;
    return wanted.every((segment, index) => {
      const other = there[index];
      if (other === undefined) return there.at(-1)!.startsWith('*');
      return other === segment || other.startsWith(':') || other.startsWith('*') || segment === ':x';
    });
  });
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```/gm, '');
}
