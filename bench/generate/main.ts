import { parseArgs } from 'node:util';
import { writeProject } from './write-project.ts';

const { values } = parseArgs({
  options: {
    models: { type: 'string', default: '1000' },
    out: { type: 'string' },
    rows: { type: 'string', default: '0' },
  },
});
if (values.out === undefined) {
  console.error('usage: node bench/generate/main.ts --models 1000 --out DIR [--rows 0]');
  process.exit(2);
}
const manifest = writeProject(values.out, Number(values.models), Number(values.rows));
console.log(JSON.stringify(manifest, null, 2));
