/** Handlers of turns of agents: what they did stays with the conversation. */
export const AGENT_HANDLERS: readonly string[] = ['agent', 'table-chat', 'artifact-chat', 'dashboard-chat'];

/** The same in SQL, behind the alias of `chat_turns` and a dot, if it has one. */
export const IS_OF_AGENT = `handler IN ('agent', 'table-chat', 'artifact-chat', 'dashboard-chat')`;
