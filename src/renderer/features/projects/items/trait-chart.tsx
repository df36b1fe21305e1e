import { Button, SegmentedControl, UnstyledButton } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Item } from '../../../../contract/index.ts';
import { icon } from '../../../components/icon.ts';
import { Empty, Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { formatInteger } from '../../../lib/format.ts';
import projectClasses from '../projects.module.css';
import classes from './trait-chart.module.css';
import { countTraits, type TraitChoice, type TraitCounts } from './traits.ts';

/** Values of a trait that are drawn before a person asks for more. */
const FEW = 12;

type Order = 'common' | 'rare';

interface TraitProps {
  trait: TraitCounts;
  order: Order;
  chosen: readonly TraitChoice[];
  onChoose: (trait: TraitChoice) => void;
}

function Trait({ trait, order, chosen, onChoose }: TraitProps) {
  const { t, i18n } = useTranslation();
  const [all, setAll] = useState(false);
  const most = trait.values[0]?.percent ?? 1;
  const ordered = order === 'common' ? trait.values : trait.values.toReversed();
  const shown = all ? ordered : ordered.slice(0, FEW);
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <Panel title={trait.name} hint={t('projects.traits.values', { count: trait.values.length })}>
      <ul className={classes.bars}>
        {shown.map(({ value, count, percent: share }) => {
          const on = chosen.some((one) => one.name === trait.name && one.value === value);
          return (
            <li key={value}>
              <UnstyledButton
                className={classes.bar}
                aria-pressed={on}
                data-on={on || undefined}
                onClick={() => onChoose({ name: trait.name, value })}
              >
                <span className={classes.value} title={value}>
                  {value}
                </span>
                <span className={classes.track} aria-hidden>
                  <span className={classes.fill} style={{ width: `${Math.max(1, (share / most) * 100)}%` }} />
                </span>
                <span className={classes.figure}>
                  {formatInteger(count, i18n.language)} · {percent.format(share / 100)}
                </span>
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
      {trait.values.length > FEW && (
        <Button size="compact-xs" variant="subtle" mt={8} onClick={() => setAll(!all)}>
          {all ? t('projects.traits.fewer') : t('projects.traits.all', { count: trait.values.length })}
        </Button>
      )}
    </Panel>
  );
}

/** How often each value of each trait occurs; a click shows the items that have it. */
export function TraitChart({
  items,
  chosen,
  onChoose,
}: {
  items: readonly Item[];
  chosen: readonly TraitChoice[];
  onChoose: (trait: TraitChoice) => void;
}) {
  const { t } = useTranslation();
  const [order, setOrder] = useState<Order>('common');
  const traits = useMemo(() => countTraits(items), [items]);
  if (traits.length === 0) {
    return (
      <Empty
        icon={<IconTags {...icon} size={24} />}
        title={t('projects.traits.emptyTitle')}
        text={t('projects.traits.emptyText')}
      />
    );
  }
  return (
    <>
      <div className={projectClasses.toolbar}>
        <span className={layout.dim}>{t('projects.traits.hint')}</span>
        <SegmentedControl
          size="xs"
          aria-label={t('projects.traits.order')}
          value={order}
          onChange={(value) => setOrder(value as Order)}
          data={[
            { value: 'common', label: t('projects.traits.common') },
            { value: 'rare', label: t('projects.traits.rare') },
          ]}
        />
      </div>
      <div className={classes.charts}>
        {traits.map((trait) => (
          <Trait key={trait.name} trait={trait} order={order} chosen={chosen} onChoose={onChoose} />
        ))}
      </div>
    </>
  );
}
