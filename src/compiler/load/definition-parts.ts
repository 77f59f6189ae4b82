import type { Audit } from '../../domain/audit.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { Comment } from '../../foundation/sql/token.ts';
import type { Blueprint } from './header/read-blueprints.ts';
import type { ModelHeader } from './header/read-model-header.ts';
import type { ModelBody } from './model-body.ts';
import type { ModelGateway } from './model-context.ts';

/** Everything a definition is made of. */
export interface DefinitionParts {
  readonly name: string;
  readonly file: SourceFile;
  readonly header: ModelHeader;
  readonly body: ModelBody;
  readonly blueprint: Blueprint;
  readonly gateway: ModelGateway;
  readonly gatewayName: string | undefined;
  readonly dialect: Dialect;
  readonly inlineAudits: readonly Audit[];
  readonly comments: readonly Comment[];
  /** From the comments above the block. */
  readonly description: string | undefined;
}
