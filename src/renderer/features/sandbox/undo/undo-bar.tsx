import { Button, VisuallyHidden } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../../../components/icon.ts';
import type { Action } from '../use-action.ts';
import classes from './undo.module.css';
import { endOffer, UNDO_MS, useUndoOffer } from './undo-store.ts';

/** What was done last, and a button that takes it back for ten seconds; the time stands still while a person is at it. What came of taking it back is the caller's to show. */
export function UndoBar({ action }: { action: Action<true> }) {
  const { t } = useTranslation();
  const offer = useUndoOffer((state) => state.offer);
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (offer === null || held || action.busy) return;
    const timer = setTimeout(() => endOffer(offer), UNDO_MS);
    return () => clearTimeout(timer);
  }, [offer, held, action.busy]);
  // A page that is left cannot show the offer any more.
  useEffect(
    () => () => {
      const open = useUndoOffer.getState().offer;
      if (open !== null) endOffer(open);
    },
    [],
  );
  return (
    <div role="status" className={classes.place}>
      {offer !== null && (
        <section
          aria-label={t('sandbox.undo')}
          className={classes.bar}
          data-held={held || action.busy || undefined}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          <span>{offer.text}</span>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowBackUp {...smallIcon} />}
            loading={action.busy}
            onClick={() =>
              void action.run(async () => {
                await offer.undo();
                setHeld(false);
                endOffer(offer);
                return true;
              })
            }
          >
            {t('sandbox.undo')}
          </Button>
          <span key={offer.number} className={classes.time} style={{ animationDuration: `${UNDO_MS}ms` }} aria-hidden />
        </section>
      )}
      {action.result && <VisuallyHidden>{t('sandbox.undone')}</VisuallyHidden>}
    </div>
  );
}
