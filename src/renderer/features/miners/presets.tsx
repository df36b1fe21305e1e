import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { MinerPreset } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useActions } from '../../api/use-actions.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import layout from '../../components/styles/layout.module.css';

/** Public miners of the network that are not added yet. @param onNeedsKey called with one that needs an API key of the person */
export function Presets({ onNeedsKey }: { onNeedsKey: (preset: MinerPreset) => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data = [] } = useQuery(api.miners.presets.queryOptions());
  const add = useActions(
    api.miners.add.mutationOptions({ onSuccess: () => queries.invalidateQueries({ queryKey: api.miners.key() }) }),
  );
  const open = data.filter(({ isAdded }) => !isAdded);
  if (open.length === 0) return null;
  return (
    <Panel flush title={t('miners.presets.title')} hint={t('miners.presets.hint')}>
      <ErrorNote error={add.error} />
      {open.map((preset) => (
        <div key={preset.id} className={layout.line} data-preset={preset.id}>
          <div className={layout.value}>
            <strong>{preset.name}</strong> <span className={layout.dim}>{preset.operator}</span>
            <div className={layout.dim}>
              {t(`miners.kind.${preset.kind}`)} · {preset.url} ·{' '}
              {t(preset.needsKey ? 'miners.presets.ownKey' : 'miners.presets.noKey')}
            </div>
          </div>
          <Button
            variant="default"
            leftSection={<IconPlus {...icon} />}
            aria-label={t('miners.presets.addOf', { name: preset.name })}
            loading={add.isPending && add.variables?.url === preset.url}
            onClick={() => {
              const { name, kind, url } = preset;
              if (preset.needsKey) onNeedsKey(preset);
              else add.mutate({ name, kind, url });
            }}
          >
            {t('miners.presets.add')}
          </Button>
        </div>
      ))}
    </Panel>
  );
}
