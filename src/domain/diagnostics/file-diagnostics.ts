import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const fileDiagnostics = {
  'file.escapes-project': {
    severity: 'error',
    message: '{path} leads outside the project folder, so it is not read.',
    hint: 'put the file itself into the project instead of a link to it',
    explain:
      'A project is one folder. Symbolic links and paths that leave it are not followed, so that a project means the same on every machine and cannot read files of the machine it is loaded on.',
  },
  'file.not-utf8': {
    severity: 'error',
    message: '{path} is not UTF-8 text: {detail}.',
    hint: 'save the file as UTF-8',
    explain:
      'All project files are read as UTF-8. A byte sequence that is not UTF-8 would silently become other characters, so the file is refused.',
  },
  'file.too-large': {
    severity: 'error',
    message: '{path} has {size}, more than the {limit} allowed for such a file.',
    hint: 'move data into seeds/ or data/, or split the file',
    explain:
      'YAML files may have 1 MiB and SQL files 8 MiB. The limits keep a broken or hostile file from exhausting the machine; data belongs into seeds/ or data/.',
  },
  'file.unreadable': {
    severity: 'error',
    message: '{path} cannot be read: {detail}.',
    explain: 'The operating system refused to read the file. Check that it exists and that you may read it.',
  },
  'file.empty': {
    severity: 'warning',
    message: '{path} is empty, so it defines nothing.',
    hint: 'delete the file or write a model into it',
    explain:
      'An empty model, audit, test or semantic file is most often an unfinished one. It is left out; the rest of the project loads.',
  },
} as const satisfies Catalog;
