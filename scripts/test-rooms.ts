/**
 * Rooms of `tests/` that take minutes, because they repeat, flood, kill, damage or install: `npm run test:campaigns`. `npm test` runs all
 * others, CI both.
 */
export const CAMPAIGN_ROOMS = [
  'access',
  'concurrency',
  'costly-texts',
  'defects',
  'every-diagnostic',
  'faults',
  'function-campaign',
  'hostile',
  'installed',
  'kill',
  'neighbour',
  'rows-campaign',
].map((room) => `tests/${room}/`);
