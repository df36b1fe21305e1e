import type { TFunction } from 'i18next';
import {
  type Item,
  type ItemMetadata,
  itemMetadataSchema,
  mintStates,
  projectNameSchema,
  traitSchema,
} from '../../../contract/index.ts';

/** Error texts by the form's field path, as the form library takes them. */
export type FieldProblems = Record<string, string>;

/** What is wrong with a name, in words; null where nothing is. The limits are the contract's. */
export function nameProblem(t: TFunction, name: string): string | null {
  const parsed = projectNameSchema.safeParse(name);
  if (parsed.success) return null;
  return name.trim() === '' ? t('projects.error.nameRequired') : t('projects.error.nameTooLong');
}

function traitProblem(t: TFunction, trait: ItemMetadata['traits'][number], field: 'name' | 'value'): string | null {
  const parsed = traitSchema.shape[field].safeParse(trait[field]);
  if (parsed.success) return null;
  const text = trait[field].trim();
  if (field === 'value') {
    return text === '' ? t('projects.error.traitValueRequired') : t('projects.error.traitValueTooLong');
  }
  if (text === '') return t('projects.error.traitNameRequired');
  const tooLong = parsed.error.issues.some((issue) => issue.code === 'too_big');
  return tooLong ? t('projects.error.traitNameTooLong') : t('projects.error.traitReserved', { name: text });
}

/** Holds what is being typed against the contract's own schema and says what is wrong where. */
export function metadataProblems(t: TFunction, metadata: ItemMetadata): FieldProblems {
  const problems: FieldProblems = {};
  if (itemMetadataSchema.safeParse(metadata).success) return problems;
  if (!itemMetadataSchema.shape.name.safeParse(metadata.name).success) {
    problems.name = t(metadata.name.trim() === '' ? 'projects.error.nameRequired' : 'projects.error.nameTooLong');
  }
  if (!itemMetadataSchema.shape.description.safeParse(metadata.description).success) {
    problems.description = t('projects.error.descriptionTooLong');
  }
  const seen = new Set<string>();
  for (const [index, trait] of metadata.traits.entries()) {
    for (const field of ['name', 'value'] as const) {
      const problem = traitProblem(t, trait, field);
      if (problem !== null) problems[`traits.${index}.${field}`] = problem;
    }
    const name = trait.name.trim();
    if (name !== '' && seen.has(name)) {
      problems[`traits.${index}.name`] = t('projects.error.traitDuplicate', { name });
    }
    seen.add(name);
  }
  if (!itemMetadataSchema.shape.traits.safeParse(metadata.traits).success && Object.keys(problems).length === 0) {
    problems.traits = t('projects.error.traitsTooMany');
  }
  return problems;
}

/** Drops rows that were left entirely empty. */
export function withoutEmptyTraits(metadata: ItemMetadata): ItemMetadata {
  return {
    ...metadata,
    traits: metadata.traits.filter((trait) => trait.name.trim() !== '' || trait.value.trim() !== ''),
  };
}

/** True while an item may still change, be removed, or be put into a mint. */
export function isDraft(item: Item): boolean {
  return item.state === 'draft' && item.jobId === null;
}

/** Whether an item has a token that may be in the wallet, to be sent. */
export function hasToken(item: Item): boolean {
  return item.outpoint !== null && mintStates.is(item.state, 'submitted');
}

export type ItemFilter = 'all' | 'drafts' | 'running' | 'minted';

export function inFilter(item: Item, filter: ItemFilter): boolean {
  const minted = mintStates.is(item.state, 'mined');
  if (filter === 'all') return true;
  if (filter === 'drafts') return isDraft(item);
  return filter === 'minted' ? minted : !minted && !isDraft(item);
}
