import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PairingRequest } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';

const DAY_MS = 86_400_000;
const periods = { day: DAY_MS, month: 30 * DAY_MS, always: null } as const;
type Period = keyof typeof periods;

/** Asks on any page of the application about web pages that request access to the gateway. Closing it refuses. */
export function PairingPrompt() {
  const { data } = useQuery(api.gateway.origins.requests.queryOptions({ retry: false }));
  const [request] = data ?? [];
  return request === undefined ? null : <Prompt key={request.id} request={request} />;
}

function Prompt({ request: { id, origin, code } }: { request: PairingRequest }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [period, setPeriod] = useState<Period>('month');
  const decide = useMutation({
    mutationFn: (allow: boolean) => {
      const length = periods[period];
      return client.gateway.origins.decide({ id, allow, expiresAt: length === null ? null : Date.now() + length });
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: api.gateway.origins.key() });
      void queries.invalidateQueries({ queryKey: api.gateway.keys.list.key() });
    },
  });
  const refuse = (): void => decide.mutate(false);
  return (
    <Modal
      opened
      centered
      onClose={refuse}
      closeOnClickOutside={false}
      title={t('gateway.pairing.title')}
      closeButtonProps={{ 'aria-label': t('gateway.pairing.refuse') }}
    >
      <Stack gap="md">
        <Text>{t('gateway.pairing.asks')}</Text>
        <Text className="mono" fw={600} style={{ overflowWrap: 'anywhere' }} data-testid="pairing-origin">
          {origin}
        </Text>
        <Text size="sm">{code === null ? t('gateway.pairing.noCode') : t('gateway.pairing.code', { code })}</Text>
        <Text size="sm">{t('gateway.pairing.means')}</Text>
        <Select
          label={t('gateway.pairing.until')}
          data={Object.keys(periods).map((value) => ({ value, label: t(`gateway.pairing.${value as Period}`) }))}
          value={period}
          onChange={(value) => setPeriod((value ?? 'month') as Period)}
          allowDeselect={false}
        />
        <ErrorNote error={decide.error} />
        <Group justify="flex-end">
          <Button variant="default" data-autofocus disabled={decide.isPending} onClick={refuse}>
            {t('gateway.pairing.refuse')}
          </Button>
          <Button loading={decide.isPending} onClick={() => decide.mutate(true)}>
            {t('gateway.pairing.allow')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
