import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ways to another program that are not a named import of `node:child_process`: none may be in the source. */
const OTHER_WAYS =
  /\b(?:execve|getBuiltinModule|binding)\s*\(|['"](?:node:)?cluster['"]|['"]execa['"]|['"]cross-spawn['"]|node-pty/;
const NAMED = /^import (?:type )?\{([^}]*)\} from 'node:child_process';$/gm;
const MENTIONED = /child_process/g;

/**
 * Every place in the source below a folder that starts a program, as `file function`, sorted; a second call of the same function in a
 * file is ` 2`. Throws for a text that can start one in a way that this cannot follow.
 */
export function childProcessPlaces(source: string): readonly string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !/\.test(-support)?\.ts$/.test(file))
    .flatMap((file) => placesIn(file, readFileSync(join(source, file), 'utf8')))
    .sort();
}

/** The places of one text. */
export function placesIn(file: string, text: string): readonly string[] {
  const other = OTHER_WAYS.exec(text);
  if (other !== null) throw new Error(`${file} may start a program by ${other[0]}`);
  const imports = [...text.matchAll(NAMED)];
  if (imports.length !== [...text.matchAll(MENTIONED)].length)
    throw new Error(`${file} reaches child_process by something else than a named import`);
  const names = imports.flatMap(([, list = '']) =>
    list
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '' && !each.startsWith('type ')),
  );
  return names.flatMap((name) => {
    if (/ as /.test(name)) throw new Error(`${file} renames ${name}`);
    const rest = text.replaceAll(NAMED, '');
    const uses = [...rest.matchAll(new RegExp(`\\b${name}\\b(\\s*\\()?`, 'g'))];
    if (uses.some(([, call]) => call === undefined)) throw new Error(`${file} hands ${name} on`);
    return uses.map((_, index) => `${file} ${name}${index === 0 ? '' : ` ${index + 1}`}`);
  });
}
