import type { TableProfile } from './table-profile.ts';

/** Something that happens while tables are profiled. */
export type ProfileEvent =
  | { readonly event: 'profiles.started'; readonly runId: string; readonly models: number }
  | { readonly event: 'model.profiled'; readonly model: string; readonly profile: TableProfile }
  | { readonly event: 'profile.left'; readonly model: string; readonly reason: string };
