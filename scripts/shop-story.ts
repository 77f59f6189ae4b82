/**
 * The example shop, filled as time would have: until the week before its tracking broke, that week, and the rest; then the orders
 * that were held back are released. Each step is a command in the shop's folder.
 */
export const SHOP_STORY: readonly (readonly string[])[] = [
  ['plan', '--yes', '--execution-time', '2024-03-11'],
  ['run', '--execution-time', '2024-03-18'],
  ['run'],
  ['quarantine', 'show', 'staging.orders'],
  ['quarantine', 'release', 'staging.orders', '--all', '--accept', '--reason', 'agreed with sales'],
  ['run'],
  ['runs'],
  ['status'],
];
