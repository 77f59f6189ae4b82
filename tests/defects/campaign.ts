/* Plants every known defect and says which mechanism missed which: `node tests/defects/campaign.ts [part of a name]`. */
import { KNOWN_DEFECTS } from './known-defects.ts';
import { plant } from './planted-copy.ts';

const [wanted = ''] = process.argv.slice(2);
const chosen = KNOWN_DEFECTS.filter(
  ({ name, mechanism }) => name.includes(wanted) || mechanism.file.includes(wanted),
);
let missed = 0;
for (const defect of chosen) {
  const begun = performance.now();
  const { isFound } = await plant(defect);
  if (!isFound) missed++;
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${isFound ? 'found ' : 'MISSED'} ${defect.name} by ${defect.mechanism.file} (${seconds} s)`);
}
console.log(`${chosen.length - missed} found, ${missed} missed`);
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;
