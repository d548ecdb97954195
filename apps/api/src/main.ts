export type Main = never;
