/** A text as a trace keeps it; shorter than `characters` where it was cut. */
export interface KeptText {
  text: string;
  characters: number;
}

export interface TracedCallRequest {
  id: string;
  name: string;
  /** JSON. */
  arguments: KeptText;
}

export interface TracedMessage {
  role: 'user' | 'assistant' | 'tool';
  content: KeptText;
  /** Of an assistant. */
  calls?: TracedCallRequest[];
  /** Of a tool: which call it answers. */
  callId?: string;
  isError?: boolean;
  /** What pictures it has. */
  images?: { mediaType: string; bytes: number }[];
}

/** What was sent, as the difference to what was sent before. */
export interface TracedPrompt {
  /** The entry whose messages this prompt begins with, and how many of them; null: it stands here whole. */
  after: { entryId: string; messages: number } | null;
  /** Null: as in `after`. */
  system: KeptText | null;
  /** Names; null: as in `after`. */
  tools: string[] | null;
  messages: TracedMessage[];
}

export interface ModelContent {
  callId: string;
  attempt: number;
  asked: string;
  firstTokenMs: number | null;
  reason: string | null;
  prompt: TracedPrompt;
  answer: { text: KeptText; reasoning: KeptText; calls: TracedCallRequest[] };
}

export interface ToolContent {
  /** Step and place in it. */
  place: string;
  callId: string;
  tool: string;
  arguments: KeptText;
  /** Null: there is none yet. */
  result: KeptText | null;
  outcome: 'completed' | 'failed' | 'refused' | 'waiting';
  /** Null where nothing was carried out. */
  durationMs: number | null;
}

/** How long texts may be, longest first: where all of an entry is too long the next one is tried. */
const LIMITS = [20_000, 5_000, 1_000, 200];
const MAX_ENTRY = 300_000;

/** What `make` builds with texts that are cut so that all of them together stay within bounds. */
export function withinBounds<T>(make: (keep: (text: string) => KeptText) => T, most = MAX_ENTRY): T {
  for (const limit of LIMITS) {
    let kept = 0;
    const made = make((text) => {
      const cut = text.length > limit ? text.slice(0, limit).toWellFormed() : text;
      kept += cut.length + 40;
      return { text: cut, characters: text.length };
    });
    if (kept <= most) return made;
  }
  return make((text) => ({ text: '', characters: text.length }));
}
