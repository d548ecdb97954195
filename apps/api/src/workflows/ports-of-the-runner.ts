import type { PortPresence } from '@app/workflow-definition';

/** What the workflow-runner of this deployment has: the same settings decide there. */
export function portsOfTheRunner({ hasModel, hasMail }: { hasModel: boolean; hasMail: boolean }): PortPresence {
  return {
    callers: true,
    documents: true,
    extractor: true,
    http: true,
    library: true,
    mcp: true,
    sandbox: true,
    spreadsheets: true,
    storage: true,
    tables: true,
    ...(hasModel && { llm: true, agent: true }),
    ...(hasMail && { mail: true }),
  };
}
