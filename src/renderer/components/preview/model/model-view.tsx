import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../preview.module.css';
import { type ShownModel, showModel } from './draw-model.ts';

/** A model that is rotated with the pointer or the arrow keys, and zoomed with the wheel, + and −. */
export default function ModelView({ name, blob, onFailure }: { name: string; blob: Blob; onFailure: () => void }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef<ShownModel>(null);
  const failed = useRef(onFailure);
  failed.current = onFailure;
  useEffect(() => {
    let left = false;
    const showing = showModel(box.current as HTMLDivElement, blob).then(
      (model) => {
        shown.current = model;
      },
      () => left || failed.current(),
    );
    return () => {
      left = true;
      void showing.then(() => {
        shown.current?.close();
        shown.current = null;
      });
    };
  }, [blob]);
  return (
    <div
      ref={box}
      className={classes.model}
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys rotate it
      tabIndex={0}
      aria-label={t('common.preview.model', { name })}
      onKeyDown={(event) => {
        if (!event.ctrlKey && !event.metaKey && shown.current?.press(event.key)) event.preventDefault();
      }}
    />
  );
}
