import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Item, itemMetadataSchema } from '../../../contract/index.ts';
import texts from '../../features/projects/en.json' with { type: 'json' };
import { addTexts, i18n } from '../../i18n/index.ts';
import { inFilter, isDraft, metadataProblems, nameProblem, withoutEmptyTraits } from './item-rules.ts';

addTexts({ projects: texts });
const { t } = i18n;
const good = { name: 'Copper moon', description: '', traits: [{ name: 'Metal', value: 'Copper' }] };

describe('the metadata form', () => {
  it('shows each error at its field', () => {
    expect(metadataProblems(t, good)).toEqual({});
    expect(Object.keys(metadataProblems(t, { ...good, name: '  ' }))).toEqual(['name']);
    expect(Object.keys(metadataProblems(t, { ...good, description: 'x'.repeat(2_001) }))).toEqual(['description']);
    const traits = [
      { name: 'subType', value: 'x' },
      { name: 'Metal', value: '' },
      { name: 'Metal', value: 'Tin' },
      { name: '', value: 'x' },
    ];
    const problems = metadataProblems(t, { ...good, traits });
    expect(Object.keys(problems)).toEqual(['traits.0.name', 'traits.1.value', 'traits.2.name', 'traits.3.name']);
    expect(problems['traits.0.name']).toContain('subType');
  });

  it('has an error exactly if the contract would refuse the value', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 130 }),
      fc.constantFrom('', ' ', 'name', 'app', 'Metal', 'x'.repeat(257)),
    );
    const metadata = fc.record({
      name: text,
      description: fc.oneof(text, fc.constant('y'.repeat(2_001))),
      traits: fc.array(fc.record({ name: text, value: text }), { maxLength: 66 }),
    });
    fc.assert(
      fc.property(metadata, (value) => {
        const refused = !itemMetadataSchema.safeParse(value).success;
        expect(Object.keys(metadataProblems(t, value)).length > 0).toBe(refused);
      }),
      { numRuns: 300 },
    );
  });

  it('removes empty rows', () => {
    const traits = [{ name: ' ', value: '' }, ...good.traits, { name: '', value: 'x' }];
    expect(withoutEmptyTraits({ ...good, traits }).traits).toEqual([...good.traits, { name: '', value: 'x' }]);
  });

  it('accepts names up to 120 characters', () => {
    expect(nameProblem(t, 'x'.repeat(120))).toBeNull();
    expect(nameProblem(t, 'x'.repeat(121))).toMatch(/120/);
    expect(nameProblem(t, ' ')).toMatch(/name/i);
  });
});

describe('the items of a project', () => {
  const item = (state: Item['state'], jobId: string | null = null): Item => ({ state, jobId }) as Item;
  it('are drafts until a job contains them', () => {
    expect(isDraft(item('draft'))).toBe(true);
    expect(isDraft(item('draft', 'j'))).toBe(false);
    expect(isDraft(item('signed', 'j'))).toBe(false);
  });

  it('match exactly one of the three filters', () => {
    for (const one of [
      item('draft'),
      item('draft', 'j'),
      item('reviewed', 'j'),
      item('mined', 'j'),
      item('proven', 'j'),
    ]) {
      expect((['drafts', 'running', 'minted'] as const).filter((filter) => inFilter(one, filter))).toHaveLength(1);
      expect(inFilter(one, 'all')).toBe(true);
    }
  });
});
