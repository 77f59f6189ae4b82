import {
  type Document,
  type ExportSource,
  shownModels,
} from '../../../compiler/catalog/export/export-source.ts';
import { llmsText } from '../../../compiler/catalog/export/llms-text.ts';
import { odcsDocument, odcsTable } from '../../../compiler/catalog/export/odcs.ts';
import { odpsDocument } from '../../../compiler/catalog/export/odps-document.ts';
import { openLineageEvent } from '../../../compiler/catalog/export/open-lineage-event.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import { inTurns } from './in-turns.ts';

/** Formats of other tools; of OpenLineage the list that its batch endpoint takes. */
export type ExportFormat = 'odcs' | 'odps' | 'openlineage' | 'llms.txt';

/** The product as a document of a format: text for llms.txt, else JSON. */
export async function exportDocument(
  source: ExportSource,
  format: ExportFormat,
): Promise<string | Document | readonly Document[]> {
  switch (format) {
    case 'llms.txt':
      return llmsText(source);
    case 'odps':
      return odpsDocument(source);
    case 'odcs':
      return odcsDocument(source, await inTurns(shownModels(source), (model) => odcsTable(model, source)));
    case 'openlineage': {
      const models = new Map(source.seen.models.map((model) => [model.name, model]));
      return inTurns(source.seen.models, (model) => openLineageEvent(model, source, models));
    }
    default:
      return unreachable(format);
  }
}
