import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInteger } from '../../../lib/format.ts';
import {
  type CallFilter,
  type Chip,
  type chipsOf,
  type FilterGroup,
  filterGroups,
  noFilter,
  toggleChip,
} from './call-filter.ts';
import classes from './filter-chips.module.css';

/** Chips of a group that are shown before it is expanded, so that its rows leave the height to the calls. */
const FIRST_CHIPS = 4;

interface ChipButtonProps {
  on: boolean;
  count?: number;
  tone?: 'fail';
  onClick: () => void;
  children: ReactNode;
}

function ChipButton({ on, count, tone, onClick, children }: ChipButtonProps) {
  const { i18n } = useTranslation();
  return (
    <UnstyledButton className={classes.chip} aria-pressed={on} data-tone={tone} onClick={onClick}>
      {children}
      {count !== undefined && <span className={classes.count}>{formatInteger(count, i18n.language)}</span>}
    </UnstyledButton>
  );
}

interface GroupProps {
  group: FilterGroup;
  chips: readonly Chip[];
  chosen: readonly string[];
  onToggle: (value: string) => void;
}

function Group({ group, chips, chosen, onToggle }: GroupProps) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  if (chips.length === 0) return null;
  const label = t(`gateway.${group}`);
  // The button for one more takes as much space as that one.
  const first = chips.length === FIRST_CHIPS + 1 ? chips.length : FIRST_CHIPS;
  const visible = all ? chips : chips.filter(({ value }, index) => index < first || chosen.includes(value));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has the border and spacing of a form.
    <div role="group" aria-label={label} className={classes.group}>
      <span className={classes.label} aria-hidden>
        {label}
      </span>
      {visible.map(({ value, count }) => (
        <ChipButton key={value} on={chosen.includes(value)} count={count} onClick={() => onToggle(value)}>
          {group === 'source' ? t(`gateway.sources.${value as 'cache'}`) : <span data-untranslated>{value}</span>}
        </ChipButton>
      ))}
      {visible.length < chips.length && (
        <UnstyledButton className={classes.more} onClick={() => setAll(true)}>
          {t('gateway.moreChips', { count: chips.length - visible.length })}
        </UnstyledButton>
      )}
    </div>
  );
}

interface FilterChipsProps {
  chips: ReturnType<typeof chipsOf>;
  filter: CallFilter;
  onChange: (filter: CallFilter) => void;
}

/** Filters the calls by errors, source of the answer, client and command. */
export function FilterChips({ chips, filter, onChange }: FilterChipsProps) {
  const { t } = useTranslation();
  const narrowed = filter.errors || filterGroups.some((group) => filter[group].length > 0);
  return (
    <div className={classes.chips}>
      <div className={classes.group}>
        <ChipButton
          on={filter.errors}
          count={chips.errors}
          tone="fail"
          onClick={() => onChange({ ...filter, errors: !filter.errors })}
        >
          {t('gateway.errors')}
        </ChipButton>
        <ChipButton on={filter.own} count={chips.own} onClick={() => onChange({ ...filter, own: !filter.own })}>
          {t('gateway.ownCalls')}
        </ChipButton>
        {narrowed && (
          <UnstyledButton className={classes.more} onClick={() => onChange({ ...noFilter, own: filter.own })}>
            {t('gateway.allCalls')}
          </UnstyledButton>
        )}
      </div>
      {filterGroups.map((group) => (
        <Group
          key={group}
          group={group}
          chips={chips[group]}
          chosen={filter[group]}
          onToggle={(value) => onChange(toggleChip(filter, group, value))}
        />
      ))}
    </div>
  );
}
