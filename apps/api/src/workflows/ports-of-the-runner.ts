import type { PortPresence } from '@app/workflows';

/** What the workflow-runner of this deployment has: the same settings decide there. */
export function portsOfTheRunner({ hasModel, hasMail }: { hasModel: boolean; hasMail: boolean }): PortPresence {
  return {
    documents: true,
    http: true,
    storage: true,
    ...(hasModel && { llm: true }),
    ...(hasMail && { mail: true }),
  };
}
