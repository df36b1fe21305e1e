import classes from '../settings.module.css';

/** A text with the matches of the search marked. */
export function Marked({ text, wanted }: { text: string; wanted: string }) {
  if (wanted === '') return text;
  const lower = text.toLowerCase();
  // Some letters change their length in lower case. Without marks is better than with misplaced ones.
  if (lower.length !== text.length) return text;
  const parts: React.ReactNode[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at));
    parts.push(
      <mark key={at} className={classes.mark}>
        {text.slice(at, at + wanted.length)}
      </mark>,
    );
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}
