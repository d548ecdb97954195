/** Names what a node does in any run of its workflow: the key of a call begins with its run. */
export function keyOfNode(workflowId: string, runId: string, key: string): string {
  return `${workflowId}:${key.startsWith(`${runId}:`) ? key.slice(runId.length + 1) : key}`;
}
