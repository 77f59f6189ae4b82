/**
 * Rooms of `tests/` that take minutes, because they walk a whole list, compare with an oracle, repeat, flood, kill, damage or install: `npm run test:campaigns`. `npm test` runs all
 * others, CI both.
 */
export const CAMPAIGN_ROOMS = [
  'access',
  'audits/matrix',
  'categorizer/oracle',
  'compatibility',
  'concurrency',
  'costly-texts',
  'defects',
  'delivery',
  'every-diagnostic',
  'faults',
  'function-campaign',
  'guides',
  'hostile',
  'impact',
  'installed',
  'keys',
  'kill',
  'load/oracle',
  'neighbour',
  'plan-rows',
  'quality',
  'quality-peers',
  'rows-campaign',
  'same-answer',
  'semantic/oracle',
  'state-faults',
].map((room) => `tests/${room}/`);
