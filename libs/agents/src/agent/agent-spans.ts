import type { CallState } from './agent-state.js';
import type { AgentTool } from './tool.js';

/** Between the name that a user gave a tool server and that of its tool. */
const BETWEEN = '__';

/** Names of connected tools are their users' words. */
export function spanName({ name }: AgentTool): string {
  return name.includes(BETWEEN) ? 'connected' : name;
}

/** By the conventions of OpenTelemetry for generative AI: no arguments, no results, nothing that anybody wrote. */
export function spanAttributes({ place }: CallState, tool: AgentTool): Record<string, string> {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': spanName(tool),
    'gen_ai.tool.type': spanName(tool) === tool.name ? 'function' : 'extension',
    'gen_ai.tool.call.id': place,
  };
}

export function agentSpanAttributes(model: string, provider: string): Record<string, string> {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'atrium',
    'gen_ai.request.model': model,
    'gen_ai.provider.name': provider,
  };
}
