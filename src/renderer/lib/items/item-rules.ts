import type { TFunction } from 'i18next';
import {
  type Item,
  type ItemMetadata,
  itemMetadataSchema,
  mintStates,
  projectNameSchema,
  traitSchema,
} from '../../../contract/index.ts';

/** Error texts by field path, as the form library expects them. */
export type FieldProblems = Record<string, string>;

/** What is wrong with a name; null if it is valid. The limits are those of the contract. */
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

/** Validates the form values against the schema of the contract. */
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

/** Removes empty rows. */
export function withoutEmptyTraits(metadata: ItemMetadata): ItemMetadata {
  return {
    ...metadata,
    traits: metadata.traits.filter((trait) => trait.name.trim() !== '' || trait.value.trim() !== ''),
  };
}

/** True while an item can still be changed, removed or put into a mint. */
export function isDraft(item: Item): boolean {
  return item.state === 'draft' && item.jobId === null;
}

/** Whether an item has a token that may be in the wallet and can be sent. */
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
