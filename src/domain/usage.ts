/** What a data product is good for and what not, in its owners' words (usage.yaml). */
export interface Usage {
  readonly file: string;
  readonly goodFor: readonly UsageNote[];
  readonly notFor: readonly UsageNote[];
  readonly caveats: readonly UsageNote[];
  readonly references: readonly UsageReference[];
}

/** One statement; `appliesTo` names models, semantic models or metrics, and is empty when it is about the whole product. */
export interface UsageNote {
  readonly text: string;
  readonly appliesTo: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface UsageReference {
  readonly title: string;
  readonly url?: string;
  readonly description?: string;
}
