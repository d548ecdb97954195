import { type AgentHost, type AgentState, type KeptState, type TurnContext } from '@app/agents';

/** A turn as the loop of an agent sees it. */
export function turnHost(context: TurnContext, kept: KeptState): AgentHost {
  return {
    signal: context.signal,
    get published() {
      return context.published;
    },
    text: (piece) => context.text(piece),
    stage: (eventType, event) => context.stage(eventType, event),
    flush: () => context.flush(),
    save: async (state: AgentState) => {
      const packed = await kept.pack(state);
      await context.saveState(packed.row, packed.added);
      kept.written(packed);
    },
  };
}
