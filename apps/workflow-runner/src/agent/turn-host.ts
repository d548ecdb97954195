import { type AgentHost, type AgentState, packState, type TurnContext } from '@app/agents';

/** A turn as the loop of an agent sees it. */
export function turnHost(context: TurnContext): AgentHost {
  return {
    signal: context.signal,
    get published() {
      return context.published;
    },
    text: (piece) => context.text(piece),
    stage: (eventType, event) => context.stage(eventType, event),
    flush: () => context.flush(),
    traceCalls: (calls) => context.traceCalls?.(calls),
    save: async (state: AgentState) => context.saveState(await packState(state)),
  };
}
