export const EXTRACTION_STATES = ['accepted', 'processing', 'completed', 'partial', 'failed', 'cancelled'] as const;
export type ExtractionState = (typeof EXTRACTION_STATES)[number];

export const ITEM_STATES = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** `missing` fills what is empty alone. */
export const EXTRACTION_MODES = ['missing', 'all'] as const;
export type ExtractionMode = (typeof EXTRACTION_MODES)[number];

/** Nothing more happens unless somebody asks for it. */
export const isEnded = (state: ExtractionState) => state !== 'accepted' && state !== 'processing';

/** How far an extraction is: what `progress` and `done` tell. */
export interface ExtractionProgress {
  state: ExtractionState;
  total: number;
  completed: number;
  failed: number;
}
