import type { PortPresence } from '@app/workflow-definition';

interface RunnerSettings {
  hasModel: boolean;
  hasMail: boolean;
  /** It fills tables of its own alone. */
  hasExtractor: boolean;
}

/** What the workflow-runner of this deployment has: the same settings decide there. */
export function portsOfTheRunner({ hasModel, hasMail, hasExtractor }: RunnerSettings): PortPresence {
  return {
    artifacts: true,
    callers: true,
    dashboards: true,
    documents: true,
    http: true,
    library: true,
    mcp: true,
    sandbox: true,
    spreadsheets: true,
    storage: true,
    tables: true,
    ...(hasModel && { llm: true, agent: true }),
    ...(hasMail && { mail: true }),
    ...(hasExtractor && { extractor: true }),
  };
}
