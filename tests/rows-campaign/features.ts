/** What a case may have; those that a case is not about are left out, so that it gets to the point. */
export const FEATURES = [
  'audits',
  'dev',
  'forward-only',
  'history',
  'keys',
  'kills',
  'null-times',
  'own-past',
  'partials',
  'relations',
  'restatements',
  'retypes',
  'selections',
  'signals',
  'standalone',
] as const;

export type Feature = (typeof FEATURES)[number];

/** What a case is about. */
export interface Theme {
  readonly name: string;
  readonly features: readonly Feature[];
}

export const THEMES: readonly Theme[] = [
  { name: 'changes', features: ['restatements'] },
  { name: 'audits', features: ['audits', 'relations', 'standalone'] },
  { name: 'history', features: ['history', 'null-times', 'audits', 'restatements'] },
  { name: 'keys', features: ['keys', 'restatements', 'audits'] },
  { name: 'environments', features: ['dev', 'restatements', 'selections'] },
  { name: 'forward-only', features: ['forward-only', 'dev'] },
  { name: 'signals', features: ['signals', 'selections', 'partials'] },
  { name: 'own past', features: ['own-past', 'restatements'] },
  { name: 'selections', features: ['selections'] },
  { name: 'sources', features: ['retypes', 'restatements', 'dev'] },
  { name: 'answers', features: ['kills', 'restatements'] },
  { name: 'everything', features: FEATURES },
];
