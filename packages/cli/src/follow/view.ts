import type { Change, RunModel } from './run-model.ts';

/** Shows a run being followed. One implementation per manner. */
export interface FollowView {
  /** Called once, before any change. */
  start(model: RunModel): void;
  changes(changes: readonly Change[], model: RunModel): void;
  /** Something a person should know that is no change of an item. */
  note(text: string): void;
  /** Gives the terminal back. Nothing is drawn afterwards. */
  stop(): Promise<void>;
}

/** Shows nothing; the summary at the end is printed by the command. */
export const silentView: FollowView = {
  start: () => {},
  changes: () => {},
  note: () => {},
  stop: async () => {},
};
